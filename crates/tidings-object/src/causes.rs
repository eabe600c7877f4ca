//! An error and its causes on one line. Some errors say their cause in their own text and have it as `source` too
//! (kube's do), others only as `source` (hyper's): printed one after the other, a chain of both repeats itself or
//! hides what went wrong.

use std::error::Error;
use std::fmt;

/// An error with the chain of its causes on one line, each said once.
///
/// Errors of tidings need it not: their text is the whole line. It is for errors of others, where they are logged.
///
/// ```
/// use tidings_object::WithCauses;
///
/// #[derive(Debug)]
/// struct Asking(std::num::ParseIntError);
///
/// impl std::fmt::Display for Asking {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "asking the printer: {}", self.0)
///     }
/// }
///
/// impl std::error::Error for Asking {
///     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
///         Some(&self.0)
///     }
/// }
///
/// let error = Asking("seven".parse::<u32>().unwrap_err());
/// assert_eq!(WithCauses(&error).to_string(), "asking the printer: invalid digit found in string");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WithCauses<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !said.contains(&text) {
                write!(f, ": {text}")?;
                said = format!("{said}: {text}");
            }
            cause = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Link(&'static str, Option<Box<Link>>);

    impl fmt::Display for Link {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_ref().map(|cause| &**cause as &(dyn Error + 'static))
        }
    }

    #[test]
    fn each_cause_is_said_once_whether_or_not_the_text_before_has_it() {
        for (texts, line) in [
            (&["asking"][..], "asking"),
            (&["asking", "no route"], "asking: no route"),
            (&["asking: no route", "no route"], "asking: no route"),
            (&["asking: no route", "no route", "cable cut"], "asking: no route: cable cut"),
            (&["asking", "no route: cable cut", "cable cut"], "asking: no route: cable cut"),
            (&["asking", "", "cable cut"], "asking: cable cut"),
        ] {
            let chain = texts.iter().rev().fold(None, |cause, text| Some(Box::new(Link(text, cause))));
            assert_eq!(WithCauses(&*chain.unwrap()).to_string(), line);
        }
    }
}
