//! Reads the validity period of an X.509 certificate (RFC 5280, 4.1) from its DER encoding.

use std::ops::RangeInclusive;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// The tags of DER that are read here.
const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// When a certificate is valid, in seconds since 1970. `None` if it can't be read.
pub(super) fn validity_period(certificate: &[u8]) -> Option<RangeInclusive<i64>> {
    let (certificate, _) = content(certificate, SEQUENCE)?;
    let (mut fields, _) = content(certificate, SEQUENCE)?;
    if fields.first() == Some(&VERSION) {
        fields = element(fields)?.2;
    }
    // Serial number, signature algorithm, issuer.
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (times, _) = content(fields, SEQUENCE)?;
    let (tag, start, rest) = element(times)?;
    let (end_tag, end, _) = element(rest)?;
    Some(seconds(tag, start)?..=seconds(end_tag, end)?)
}

/// The tag and the content of the first element, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match *first {
        short @ 0..=0x7f => (usize::from(short), rest),
        // The lower bits have the number of bytes of the length. No certificate needs more than four.
        long @ 0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

fn content(bytes: &[u8], expected: u8) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(bytes)?;
    (tag == expected).then_some((content, rest))
}

/// `991231235959Z` or `20491231235959Z`.
fn seconds(tag: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match tag {
        // Years from 50 on are of the last century.
        UTC_TIME if text.get(..2)? < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%S", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(from: i32, to: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["a".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 12, 31));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn the_period_of_a_certificate_is_read_in_both_formats() {
        // 1999-01-01 to 2049-12-31, and 2051-01-01 to 2052-12-31.
        assert_eq!(validity_period(&certificate(1999, 2049)), Some(915_148_800..=2_524_521_600));
        assert_eq!(validity_period(&certificate(2051, 2052)), Some(2_556_144_000..=2_619_216_000));
    }

    #[test]
    fn a_broken_certificate_has_no_period() {
        let whole = certificate(1999, 2049);
        for length in 0..whole.len() {
            assert_eq!(validity_period(&whole[..length]), None, "{length} bytes");
        }
        for changed in 0..whole.len().min(200) {
            let mut broken = whole.clone();
            broken[changed] = 0xff;
            // It must not panic; most of them have no period.
            let _ = validity_period(&broken);
        }
    }
}
