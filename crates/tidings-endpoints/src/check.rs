//! Checks by name, and what a probe is told of them, in the manner of Kubernetes' own components.
//!
//! A check answers at once and from memory: a probe must never wait for the network, nor restart a program because
//! an API server is down.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::http::StatusCode;

/// The checks behind one probe.
pub(crate) struct Checks {
    probe: &'static str,
    checks: Vec<Check>,
}

struct Check {
    name: String,
    run: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

/// What a probe was asked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    is_verbose: bool,
    excluded: Vec<String>,
}

impl Checks {
    /// One check that always passes: that it was answered is what it says.
    pub(crate) fn new(probe: &'static str) -> Self {
        let mut checks = Checks { probe, checks: Vec::new() };
        checks.add("ping", || Ok(()));
        checks
    }

    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        run: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.checks.push(Check { name: name.into(), run: Box::new(run) });
    }

    /// Runs all but those that were excluded. What is failing is named even if nobody asked for the whole list.
    pub(crate) fn answer(&self, asked: &Asked) -> (StatusCode, String) {
        let mut text = String::new();
        let mut is_passed = true;
        for check in &self.checks {
            let name = &check.name;
            // Writing into a string can't go wrong.
            let _ = if asked.excluded.contains(name) {
                writeln!(text, "[+]{name} excluded: ok")
            } else if let Err(reason) = check.outcome() {
                is_passed = false;
                tracing::warn!(probe = self.probe, check = %name, %reason, "check failed");
                writeln!(text, "[-]{name} failed: {reason}")
            } else {
                writeln!(text, "[+]{name} ok")
            };
        }
        for name in asked.excluded.iter().filter(|name| self.find(name).is_none()) {
            let _ = writeln!(text, "warn: {name:?} was excluded, and there is no such check");
        }
        match (is_passed, asked.is_verbose) {
            (true, false) => (StatusCode::OK, "ok".to_owned()),
            (true, true) => (StatusCode::OK, format!("{text}{} check passed\n", self.probe)),
            (false, _) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{text}{} check failed\n", self.probe)),
        }
    }

    /// Runs one check.
    pub(crate) fn answer_one(&self, name: &str) -> (StatusCode, String) {
        match self.find(name).map(Check::outcome) {
            Some(Ok(())) => (StatusCode::OK, "ok".to_owned()),
            Some(Err(reason)) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{name} failed: {reason}\n")),
            None => (StatusCode::NOT_FOUND, format!("there is no check {name:?}\n")),
        }
    }

    fn find(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.name == name)
    }
}

impl Check {
    /// A check that panics has failed; the others are told all the same.
    fn outcome(&self) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(&self.run)).unwrap_or_else(|_| Err("it panicked".to_owned()))
    }
}

impl Asked {
    /// From the pairs of a query: `?verbose&exclude=a&exclude=b`.
    pub(crate) fn new(query: Vec<(String, String)>) -> Self {
        let mut asked = Asked::default();
        for (name, value) in query {
            match &*name {
                "verbose" => asked.is_verbose = true,
                "exclude" => asked.excluded.push(value),
                _ => {}
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Checks {
        let mut checks = Checks::new("readyz");
        checks.add("caches", || Err("pods has not synced".to_owned()));
        checks.add("clumsy", || panic!("a check of the user's"));
        checks
    }

    fn asked(query: &[(&str, &str)]) -> Asked {
        Asked::new(query.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn a_failed_probe_names_every_check_and_why_it_failed() {
        let (status, text) = checks().answer(&asked(&[]));
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            text,
            "[+]ping ok\n[-]caches failed: pods has not synced\n[-]clumsy failed: it panicked\nreadyz check failed\n"
        );
    }

    #[test]
    fn a_passed_probe_says_ok_and_the_list_when_asked() {
        let checks = checks();
        let excluding = [("exclude", "caches"), ("exclude", "clumsy")];
        assert_eq!(checks.answer(&asked(&excluding)), (StatusCode::OK, "ok".to_owned()));
        let verbose = [&excluding[..], &[("verbose", ""), ("exclude", "none")]].concat();
        let (status, text) = checks.answer(&asked(&verbose));
        assert_eq!(status, StatusCode::OK);
        assert_eq!(
            text,
            "[+]ping ok\n[+]caches excluded: ok\n[+]clumsy excluded: ok\n\
             warn: \"none\" was excluded, and there is no such check\nreadyz check passed\n"
        );
    }

    #[test]
    fn one_check_can_be_asked_by_itself() {
        let checks = checks();
        assert_eq!(checks.answer_one("ping").0, StatusCode::OK);
        assert_eq!(checks.answer_one("caches").0, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(checks.answer_one("none").0, StatusCode::NOT_FOUND);
    }
}
