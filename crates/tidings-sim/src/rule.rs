//! The rules that hold without any code of the user, and how a broken rule is reported.

use std::fmt;

/// A rule that every execution must hold. [`Sim::without`](crate::Sim::without) switches one off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The final state equals that of the undisturbed execution. Generated names, uids, versions and times may differ.
    SameFinalState,
    /// It becomes quiet: no endless writes, no hot loop of reconciles.
    Quiet,
    /// When every process restarts in a settled cluster, nothing is changed.
    Idempotent,
    /// At no time do more objects exist for one purpose than in the undisturbed execution. The purpose is the
    /// controlling owner, the resource and the `generateName`.
    NoDuplicates,
    /// When everything that the scenario created is deleted, nothing that a controller created survives.
    NoLeftovers,
    /// When everything that the scenario created is deleted, no object waits for a finalizer.
    NoFinalizers,
    /// Nothing panics.
    NoPanic,
    /// No process ends by itself.
    StaysUp,
    /// No task outlives its process.
    NoOwnTasks,
}

impl Rule {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Rule::SameFinalState => "same-final-state",
            Rule::Quiet => "quiet",
            Rule::Idempotent => "idempotent",
            Rule::NoDuplicates => "no-duplicates",
            Rule::NoLeftovers => "no-leftovers",
            Rule::NoFinalizers => "no-finalizers",
            Rule::NoPanic => "no-panic",
            Rule::StaysUp => "stays-up",
            Rule::NoOwnTasks => "no-own-tasks",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The name of a [`Rule`], or of a rule of the user.
    pub(crate) rule: String,
    pub(crate) message: String,
}

impl Violation {
    pub(crate) fn of(rule: Rule, message: impl Into<String>) -> Violation {
        Violation { rule: rule.name().to_owned(), message: message.into() }
    }
}

/// What a rule of the user may return: nothing (it uses `assert!`), a bool, or a result whose error is the message.
pub trait Verdict {
    /// The message if the rule is broken.
    fn into_verdict(self) -> Result<(), String>;
}

impl Verdict for () {
    fn into_verdict(self) -> Result<(), String> {
        Ok(())
    }
}

impl Verdict for bool {
    fn into_verdict(self) -> Result<(), String> {
        if self { Ok(()) } else { Err("the rule returned false".to_owned()) }
    }
}

impl<E: fmt::Display> Verdict for Result<(), E> {
    fn into_verdict(self) -> Result<(), String> {
        self.map_err(|error| error.to_string())
    }
}
