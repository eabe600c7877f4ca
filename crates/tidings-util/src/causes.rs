//! An error and its causes on one line.
//!
//! Some errors repeat their cause in their own text and also return it from `source()` (kube's do). Others only return
//! it from `source()` (hyper's do). A reporter that prints the chain repeats the first sort, and one that prints the
//! text alone loses the cause of the second.

use std::error::Error;
use std::fmt;

/// Displays an error and the chain of its causes on one line, each text once.
///
/// Errors of tidings do not need it: their text includes the causes. Use it to log the errors of other crates.
///
/// ```
/// use tidings_util::WithCauses;
///
/// #[derive(Debug)]
/// struct Print(std::num::ParseIntError);
///
/// impl std::fmt::Display for Print {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         write!(f, "printing page: {}", self.0)
///     }
/// }
///
/// impl std::error::Error for Print {
///     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
///         Some(&self.0)
///     }
/// }
///
/// let error = Print("seven".parse::<u32>().unwrap_err());
/// assert_eq!(WithCauses(&error).to_string(), "printing page: invalid digit found in string");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WithCauses<'a>(pub &'a (dyn Error + 'static));

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = self.0.to_string();
        f.write_str(&line)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !line.contains(&text) {
                write!(f, ": {text}")?;
                line = format!("{line}: {text}");
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
    fn each_cause_appears_once_whether_or_not_the_text_before_contains_it() {
        for (texts, line) in [
            (&["connecting"][..], "connecting"),
            (&["connecting", "no route"], "connecting: no route"),
            (&["connecting: no route", "no route"], "connecting: no route"),
            (&["connecting: no route", "no route", "cable cut"], "connecting: no route: cable cut"),
            (&["connecting", "no route: cable cut", "cable cut"], "connecting: no route: cable cut"),
            (&["connecting", "", "cable cut"], "connecting: cable cut"),
        ] {
            let chain = texts.iter().rev().fold(None, |cause, text| Some(Box::new(Link(text, cause))));
            assert_eq!(WithCauses(&*chain.unwrap()).to_string(), line);
        }
    }
}
