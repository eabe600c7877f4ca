//! Times: seconds and nanoseconds since 1970 on the wire, RFC 3339 in JSON, always written in UTC.

use crate::Error;
use crate::node::varint_of;
use crate::wire::FieldReader;

/// A time with a precision of microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timestamp {
    seconds: i64,
    micros: u32,
}

/// The text of a time, without an allocation.
pub(crate) struct TimeText {
    buffer: [u8; 27],
    length: usize,
}

/// Go's zero time, the start of the year 1. It is null in JSON.
const ZERO_SECONDS: i64 = -62_135_596_800;
const YEAR_0_SECONDS: i64 = -62_167_219_200;
const YEAR_10000_SECONDS: i64 = 253_402_300_800;
const DAY_SECONDS: i64 = 86_400;
const DAYS_IN_400_YEARS: i64 = 146_097;
/// Days from the first of March of the year 0 to 1970.
const DAYS_TO_1970: i64 = 719_468;

impl Timestamp {
    /// Decodes the message of a time; `None` is Go's zero time.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Timestamp>, Error> {
        if bytes.is_empty() {
            return Ok(None);
        }
        let (mut seconds, mut nanos) = (0, 0);
        let mut reader = FieldReader::new(bytes);
        while let Some((number, value)) = reader.next()? {
            match number {
                1 => seconds = varint_of(value)? as i64,
                2 => nanos = varint_of(value)? as i32,
                _ => {}
            }
        }
        let micros = i64::from(nanos / 1_000);
        let seconds = seconds.checked_add(micros.div_euclid(1_000_000)).ok_or(Error::Time)?;
        if !(YEAR_0_SECONDS..YEAR_10000_SECONDS).contains(&seconds) {
            return Err(Error::Time);
        }
        let micros = micros.rem_euclid(1_000_000) as u32;
        Ok((seconds != ZERO_SECONDS || micros != 0).then_some(Timestamp { seconds, micros }))
    }

    /// Parses RFC 3339 with any offset and any number of digits of a second.
    pub(crate) fn parse(text: &str) -> Option<Timestamp> {
        let digits = |range: std::ops::Range<usize>| {
            let mut part = text.as_bytes().get(range)?.iter();
            part.try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0')))
        };
        let is_at =
            |at: usize, wanted: &[u8]| text.as_bytes().get(at).is_some_and(|byte| wanted.contains(byte));
        let separators =
            is_at(4, b"-") && is_at(7, b"-") && is_at(10, b"Tt") && is_at(13, b":") && is_at(16, b":");
        let (month, day) = (digits(5..7)?, digits(8..10)?);
        let (hour, minute, second) = (digits(11..13)?, digits(14..16)?, digits(17..19)?);
        let is_valid =
            (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
        if !separators || !is_valid {
            return None;
        }
        let rest = &text[19..];
        let fraction = rest
            .strip_prefix('.')
            .map_or("", |rest| &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()]);
        let zone = if fraction.is_empty() { rest } else { &rest[1 + fraction.len()..] };
        let micros = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
        let micros = micros.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
        let seconds =
            days_from_civil(digits(0..4)?, month, day) * DAY_SECONDS + hour * 3_600 + minute * 60 + second;
        Some(Timestamp { seconds: seconds - offset_seconds(zone)?, micros })
    }

    /// Seconds and nanoseconds, as on the wire.
    pub(crate) fn parts(self) -> (i64, u32) {
        (self.seconds, self.micros * 1_000)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.seconds == ZERO_SECONDS && self.micros == 0
    }

    /// A `Time` in JSON: without fractions of a second.
    pub(crate) fn text(self) -> TimeText {
        let mut text = self.to_seconds();
        text.push(b"Z");
        text
    }

    /// A `MicroTime` in JSON: always with six digits.
    pub(crate) fn micro_text(self) -> TimeText {
        let mut text = self.to_seconds();
        text.push(b".");
        text.push_digits(i64::from(self.micros), 6);
        text.push(b"Z");
        text
    }

    fn to_seconds(self) -> TimeText {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(DAY_SECONDS));
        let second = self.seconds.rem_euclid(DAY_SECONDS);
        let mut text = TimeText { buffer: [0; 27], length: 0 };
        text.push_digits(year, 4);
        for (separator, number) in [
            (b"-", month),
            (b"-", day),
            (b"T", second / 3_600),
            (b":", second / 60 % 60),
            (b":", second % 60),
        ] {
            text.push(separator);
            text.push_digits(number, 2);
        }
        text
    }
}

impl TimeText {
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(&self.buffer[..self.length]).expect("digits and separators are ASCII")
    }

    fn push(&mut self, bytes: &[u8]) {
        self.buffer[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    fn push_digits(&mut self, mut number: i64, width: usize) {
        for digit in self.buffer[self.length..][..width].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
        self.length += width;
    }
}

fn offset_seconds(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    let number = |part: &str| if part.len() == 2 { part.parse::<i64>().ok() } else { None };
    Some(sign * (number(hours)? * 3_600 + number(minutes)? * 60))
}

/// The date of a day since 1970 in the proleptic Gregorian calendar (Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms"). Years begin in March, so that the leap day is the last day of a year.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_TO_1970;
    let era = days.div_euclid(DAYS_IN_400_YEARS);
    let day_of_era = days.rem_euclid(DAYS_IN_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// The inverse of [`civil_from_days`].
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_IN_400_YEARS + day_of_era - DAYS_TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_reads_back_as_it_was_written() {
        for text in [
            "1970-01-01T00:00:00.000000Z",
            "1969-02-28T23:59:59.999999Z",
            "2000-02-29T12:00:00.120000Z",
            "2026-11-16T04:32:01.000001Z",
            "0000-01-01T00:00:00.000000Z",
            "9999-12-31T23:59:59.999999Z",
            "2100-03-01T00:00:00.500000Z",
        ] {
            let time = Timestamp::parse(text).expect("a time");
            assert_eq!(time.micro_text().as_str(), text);
            assert_eq!(time.text().as_str(), format!("{}Z", &text[..19]));
        }
    }

    #[test]
    fn offsets_and_other_precisions_are_understood() {
        let parse = |text| Timestamp::parse(text).map(|time| time.micro_text().as_str().to_owned());
        let micros = |text: &str| Some(text.to_owned());
        assert_eq!(parse("2026-11-16T04:32:01+02:30"), micros("2026-11-16T02:02:01.000000Z"));
        assert_eq!(parse("2026-11-16T04:32:01.5-01:00"), micros("2026-11-16T05:32:01.500000Z"));
        assert_eq!(parse("2026-11-16T04:32:01.123456789Z"), micros("2026-11-16T04:32:01.123456Z"));
        for wrong in ["", "2026", "2026-11-16T04:32:01", "2026-13-16T04:32:01Z", "2026-11-16 04:32:01Z", "x"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_time_that_json_cannot_write_is_an_error() {
        let far = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(matches!(Timestamp::read(&far), Err(Error::Time)));
    }
}
