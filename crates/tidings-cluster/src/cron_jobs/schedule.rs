//! Schedules of CronJobs: five fields (`*/5 9-17 * * MON-FRI`), or `@hourly` and the like.
//!
//! Times are UTC. As in cron, if both the day of the month and the day of the week are restricted, one of them
//! suffices.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

/// How many days are searched for the next time. `0 0 29 2 *` comes every four years, eight around 2100.
const DAYS_MAX: i64 = 366 * 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    is_any_day: bool,
    is_any_weekday: bool,
}

/// A schedule that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reading the schedule {schedule:?}: {problem}")]
pub(super) struct ScheduleError {
    schedule: String,
    problem: String,
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Schedule {
    pub(super) fn parse(text: &str) -> Result<Self, ScheduleError> {
        let wrong = |problem: String| ScheduleError { schedule: text.to_owned(), problem };
        let fields = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(wrong(format!("it has {} fields, and must have 5", fields.len())));
        };
        let read = |field: &str, first, last, names: &[&str]| {
            set(field, first, last, names)
                .ok_or_else(|| wrong(format!("{field:?} is not a field of {first} to {last}")))
        };
        let mut weekdays = read(weekday, 0, 7, &WEEKDAYS)?;
        if weekdays & (1 << 7) != 0 {
            weekdays |= 1; // 7 is Sunday, as is 0
        }
        Ok(Schedule {
            minutes: read(minute, 0, 59, &[])?,
            hours: read(hour, 0, 23, &[])?,
            days: read(day, 1, 31, &[])?,
            months: read(month, 1, 12, &MONTHS)?,
            weekdays,
            is_any_day: is_any(day),
            is_any_weekday: is_any(weekday),
        })
    }

    /// The first time after this one. `None` if there is none: 30 February.
    pub(super) fn after(&self, time: Timestamp) -> Option<Timestamp> {
        let start = time.to_zoned(TimeZone::UTC).datetime();
        let start = start.checked_add(Span::new().minutes(1)).ok()?;
        let start = start.with().second(0).subsec_nanosecond(0).build().ok()?;
        for day in 0..DAYS_MAX {
            let date = start.date().checked_add(day.days()).ok()?;
            if !self.has_date(date) {
                continue;
            }
            let from = if day == 0 { (start.hour(), start.minute()) } else { (0, 0) };
            if let Some((hour, minute)) = self.time_of_day(from) {
                let found = DateTime::from_parts(date, jiff::civil::time(hour, minute, 0, 0));
                return Some(found.to_zoned(TimeZone::UTC).ok()?.timestamp());
            }
        }
        None
    }

    fn has_date(&self, date: Date) -> bool {
        let has = |set: u64, value: i8| set & (1 << value) != 0;
        let is_day = has(self.days, date.day());
        let is_weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        let is_date = match self.is_any_day || self.is_any_weekday {
            true => is_day && is_weekday,
            false => is_day || is_weekday,
        };
        has(self.months, date.month()) && is_date
    }

    /// The first time of a day that is not before this one.
    fn time_of_day(&self, (hour, minute): (i8, i8)) -> Option<(i8, i8)> {
        let next = |set: u64, from: i8| (from..60).find(|value| set & (1 << value) != 0);
        let first_hour = next(self.hours, hour)?;
        let from = if first_hour == hour { minute } else { 0 };
        match next(self.minutes, from) {
            Some(minute) => Some((first_hour, minute)),
            None => Some((next(self.hours, first_hour + 1)?, next(self.minutes, 0)?)),
        }
    }
}

fn is_any(field: &str) -> bool {
    field.starts_with('*') || field == "?"
}

/// Reads a field: `*`, `5`, `1-5`, `*/10`, `5/10`, `1-30/5`, names, and lists of these.
fn set(field: &str, first: u32, last: u32, names: &[&str]) -> Option<u64> {
    let number = |text: &str| -> Option<u32> {
        let name = text.to_lowercase();
        let named = names.iter().position(|other| *other == name);
        let value = match named {
            Some(at) => u32::try_from(at).ok()? + first,
            None => text.parse().ok()?,
        };
        (first..=last).contains(&value).then_some(value)
    };
    let mut found = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let (from, until) = match range {
            "*" | "?" => (first, last),
            _ => match range.split_once('-') {
                Some((from, until)) => (number(from)?, number(until)?),
                None if step.is_some() => (number(range)?, last),
                None => (number(range)?, number(range)?),
            },
        };
        let step = step.map_or(Some(1), |step| step.parse().ok().filter(|step| *step > 0))?;
        if from > until {
            return None;
        }
        for value in (from..=until).step_by(step) {
            found |= 1 << value;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: &str, after: &str, expected: &str) {
        let found = Schedule::parse(schedule).unwrap().after(after.parse().unwrap());
        assert_eq!(found.map(|time| time.to_string()).as_deref(), Some(expected), "{schedule}");
    }

    #[test]
    fn the_next_time_is_the_first_that_matches_all_fields() {
        let start = "2026-01-01T00:00:30Z"; // a Thursday
        check("* * * * *", start, "2026-01-01T00:01:00Z");
        check("*/15 * * * *", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z");
        check("0 9-17/4 * * *", start, "2026-01-01T09:00:00Z");
        check("30 8 * * MON-FRI", "2026-01-02T08:30:00Z", "2026-01-05T08:30:00Z");
        check("0 0 1 */3 *", start, "2026-04-01T00:00:00Z");
        check("59 23 31 12 ?", start, "2026-12-31T23:59:00Z");
        check("0 0 29 2 *", start, "2028-02-29T00:00:00Z");
        check("0 0 * * 7", start, "2026-01-04T00:00:00Z");
        check("@hourly", start, "2026-01-01T01:00:00Z");
        check("0 0 13 * FRI", start, "2026-01-02T00:00:00Z");
        check("5,10 0 * jan *", "2026-01-31T00:10:00Z", "2027-01-01T00:05:00Z");
    }

    #[test]
    fn wrong_schedules_are_errors_and_impossible_dates_never_come() {
        for wrong in
            ["", "* * * *", "60 * * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "* * * * XYZ", "@never"]
        {
            assert!(Schedule::parse(wrong).is_err(), "{wrong:?}");
        }
        let never = Schedule::parse("0 0 30 2 *").unwrap();
        assert_eq!(never.after("2026-01-01T00:00:00Z".parse().unwrap()), None);
    }
}
