//! Named checks and the response to a probe, in the format of Kubernetes' own components.
//!
//! A check reads memory only and does not block: a probe must never wait for the network, and must not restart a program
//! because an API server is down.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use axum::http::StatusCode;

/// The checks of one probe.
pub(crate) struct Checks {
    probe: &'static str,
    checks: Vec<Check>,
}

struct Check {
    name: String,
    check: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

/// The query of a probe.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProbeQuery {
    is_verbose: bool,
    excluded: Vec<String>,
}

impl Checks {
    /// With the check `ping`, which always passes: that there is a response is what it shows.
    pub(crate) fn new(probe: &'static str) -> Self {
        let mut checks = Checks { probe, checks: Vec::new() };
        checks.add("ping", || Ok(()));
        checks
    }

    pub(crate) fn add(
        &mut self,
        name: impl Into<String>,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.checks.push(Check { name: name.into(), check: Box::new(check) });
    }

    /// Runs all checks that are not excluded. If one fails, all are listed, with or without `verbose`.
    pub(crate) fn answer(&self, query: &ProbeQuery) -> (StatusCode, String) {
        let mut text = String::new();
        let mut is_passed = true;
        for check in &self.checks {
            let name = &check.name;
            // Writing to a string can't fail.
            let _ = if query.excluded.contains(name) {
                writeln!(text, "[+]{name} excluded: ok")
            } else if let Err(reason) = check.run() {
                is_passed = false;
                tracing::warn!(probe = self.probe, check = %name, %reason, "check failed");
                writeln!(text, "[-]{name} failed: {reason}")
            } else {
                writeln!(text, "[+]{name} ok")
            };
        }
        for name in query.excluded.iter().filter(|name| self.find(name).is_none()) {
            let _ = writeln!(text, "warn: {name:?} is excluded, but there is no such check");
        }
        match (is_passed, query.is_verbose) {
            (true, false) => (StatusCode::OK, "ok".to_owned()),
            (true, true) => (StatusCode::OK, format!("{text}{} check passed\n", self.probe)),
            (false, _) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{text}{} check failed\n", self.probe)),
        }
    }

    /// Runs one check.
    pub(crate) fn answer_one(&self, name: &str) -> (StatusCode, String) {
        match self.find(name).map(Check::run) {
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
    /// A check that panics has failed. The others still run.
    fn run(&self) -> Result<(), String> {
        catch_unwind(AssertUnwindSafe(&self.check)).unwrap_or_else(|_| Err("it panicked".to_owned()))
    }
}

impl ProbeQuery {
    /// From the pairs of a query such as `?verbose&exclude=a&exclude=b`.
    pub(crate) fn new(query: Vec<(String, String)>) -> Self {
        let mut parsed = ProbeQuery::default();
        for (name, value) in query {
            match &*name {
                "verbose" => parsed.is_verbose = true,
                "exclude" => parsed.excluded.push(value),
                _ => {}
            }
        }
        parsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Checks {
        let mut checks = Checks::new("readyz");
        checks.add("caches", || Err("pods has not synced".to_owned()));
        checks.add("clumsy", || panic!("a user's check panics"));
        checks
    }

    fn query(pairs: &[(&str, &str)]) -> ProbeQuery {
        ProbeQuery::new(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    #[test]
    fn a_failed_probe_names_every_check_and_why_it_failed() {
        let (status, text) = checks().answer(&query(&[]));
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            text,
            "[+]ping ok\n[-]caches failed: pods has not synced\n[-]clumsy failed: it panicked\nreadyz check failed\n"
        );
    }

    #[test]
    fn a_passed_probe_answers_ok_and_lists_the_checks_if_verbose() {
        let checks = checks();
        let excluding = [("exclude", "caches"), ("exclude", "clumsy")];
        assert_eq!(checks.answer(&query(&excluding)), (StatusCode::OK, "ok".to_owned()));
        let verbose = [&excluding[..], &[("verbose", ""), ("exclude", "none")]].concat();
        let (status, text) = checks.answer(&query(&verbose));
        assert_eq!(status, StatusCode::OK);
        assert_eq!(
            text,
            "[+]ping ok\n[+]caches excluded: ok\n[+]clumsy excluded: ok\n\
             warn: \"none\" is excluded, but there is no such check\nreadyz check passed\n"
        );
    }

    #[test]
    fn one_check_can_be_requested_alone() {
        let checks = checks();
        assert_eq!(checks.answer_one("ping").0, StatusCode::OK);
        assert_eq!(checks.answer_one("caches").0, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(checks.answer_one("none").0, StatusCode::NOT_FOUND);
    }
}
