//! Plans: which faults are injected into one execution, and the text with which an execution is repeated.
//!
//! A plan is written as faults with commas between them, for example
//! `crash-after:greeter:3,stale:greeter:configmaps:2:20,steps:4`. The same text gives the same plan.

use std::fmt;
use std::str::FromStr;

/// A write of a process: the n-th since the start of the execution, over all its restarts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WriteAt {
    pub(crate) process: String,
    pub(crate) write: u32,
}

/// An event on the watch of a process: the n-th of this resource since the start of the execution.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventAt {
    pub(crate) process: String,
    pub(crate) resource: String,
    pub(crate) event: u32,
}

/// What happens to one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WriteFault {
    /// The process ends before the write is sent.
    CrashBefore,
    /// The process ends after the server has applied the write.
    CrashAfter,
    /// As `CrashAfter`; the process is down for a minute, in which the scenario continues.
    Down,
    /// The write is applied; the process sees a connection that is reset.
    Lost,
    /// The write is applied; the process waits for the answer for half a minute, and then sees a timeout. Unlike `Lost`,
    /// its caches show the write before its error.
    TimedOut,
    /// The write is answered with 409 and not applied.
    Conflict,
    /// The write is answered with 429 and not applied.
    Throttle,
    /// The write is sent three seconds later.
    Delay,
    /// A second process starts while this one holds its write, sees no more events, and lives on for a while.
    TwoLeaders,
    /// Another client deletes the written object at once.
    Remove,
    /// No event reaches the process for so many seconds.
    StaleAll(u32),
    /// The process ends after the write and starts again on an API server that shows nothing after this version.
    Rewind(u64),
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    Write(WriteAt, WriteFault),
    /// The watch is silent for so many seconds, from before this event on.
    Stale(EventAt, u32),
    /// As `Stale` for 20 seconds. Then the watch ends with 410, so that the informer lists and skips what lay between.
    Skip(EventAt),
    /// This step of the scenario does not wait until the controllers are quiet.
    Hurry(u32),
    /// After this step another client changes one field, waits, and changes it back.
    Edit(u32, String),
    /// As `Edit`, without a wait.
    Flash(u32, String),
    /// After this step another client deletes the object and creates it again.
    Recreate(u32),
    /// Requests and events are delayed at random from this seed, so that they overtake each other.
    Order(u64),
}

/// A group of faults that are explored. [`Sim::skip`](crate::Sim::skip) leaves one out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FaultGroup {
    /// A process ends before or after a write and restarts with empty caches.
    Crash,
    /// A write is applied and its answer is lost.
    UnknownOutcome,
    /// Watches are silent for a while, or a process restarts on an API server that lags.
    StaleView,
    /// Events are skipped, or a process is down while the user continues.
    UnobservedStates,
    /// Conflicts, throttling, delays, and requests that overtake each other.
    Ordering,
    /// A second process starts while the first works on with a frozen cache.
    TwoLeaders,
    /// Other clients change fields and change them back, delete objects, and create them again.
    OutsideActors,
}

impl FaultGroup {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FaultGroup::Crash => "crash",
            FaultGroup::UnknownOutcome => "unknown outcome",
            FaultGroup::StaleView => "stale view",
            FaultGroup::UnobservedStates => "unobserved states",
            FaultGroup::Ordering => "ordering",
            FaultGroup::TwoLeaders => "two leaders",
            FaultGroup::OutsideActors => "outside actors",
        }
    }
}

/// The faults of one execution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Plan {
    pub(crate) faults: Vec<Fault>,
    /// How many steps of the scenario are executed; all if `None`.
    pub(crate) steps: Option<u32>,
}

impl Plan {
    pub(crate) fn of(faults: impl IntoIterator<Item = Fault>) -> Plan {
        Plan { faults: faults.into_iter().collect(), steps: None }
    }

    /// Whether another client changes what the user wants, for a while.
    pub(crate) fn has_edits(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::Edit(..) | Fault::Flash(..)))
    }
}

impl Fault {
    pub(crate) fn group(&self) -> FaultGroup {
        match self {
            Fault::Write(_, fault) => match fault {
                WriteFault::CrashBefore | WriteFault::CrashAfter => FaultGroup::Crash,
                WriteFault::Down => FaultGroup::UnobservedStates,
                WriteFault::Lost | WriteFault::TimedOut => FaultGroup::UnknownOutcome,
                WriteFault::Conflict | WriteFault::Throttle | WriteFault::Delay => FaultGroup::Ordering,
                WriteFault::TwoLeaders => FaultGroup::TwoLeaders,
                WriteFault::Remove => FaultGroup::OutsideActors,
                WriteFault::StaleAll(_) | WriteFault::Rewind(_) => FaultGroup::StaleView,
            },
            Fault::Stale(..) => FaultGroup::StaleView,
            Fault::Skip(_) => FaultGroup::UnobservedStates,
            Fault::Hurry(_) | Fault::Order(_) => FaultGroup::Ordering,
            Fault::Edit(..) | Fault::Flash(..) | Fault::Recreate(_) => FaultGroup::OutsideActors,
        }
    }

    /// What the fault does, as a sentence.
    pub(crate) fn explain(&self) -> String {
        match self {
            Fault::Write(WriteAt { process, write }, fault) => match fault {
                WriteFault::CrashBefore => format!("{process} crashes before its write {write}"),
                WriteFault::CrashAfter => format!("{process} crashes after its write {write} was applied"),
                WriteFault::Down => {
                    format!("{process} crashes after its write {write} and is down for a minute")
                }
                WriteFault::Lost => {
                    format!("the answer to write {write} of {process} is lost; the write is applied")
                }
                WriteFault::TimedOut => {
                    format!("write {write} of {process} is applied, and times out without an answer")
                }
                WriteFault::Conflict => format!("write {write} of {process} is answered with 409 Conflict"),
                WriteFault::Throttle => {
                    format!("write {write} of {process} is answered with 429 Too Many Requests")
                }
                WriteFault::Delay => format!("write {write} of {process} arrives three seconds late"),
                WriteFault::TwoLeaders => {
                    format!(
                        "a second {process} starts before write {write} of the first, which works on with a frozen cache"
                    )
                }
                WriteFault::Remove => {
                    format!("another client deletes what {process} wrote in its write {write}")
                }
                WriteFault::StaleAll(seconds) => {
                    format!("from its write {write} on {process} sees no event for {seconds} s")
                }
                WriteFault::Rewind(version) => format!(
                    "{process} crashes after its write {write} and restarts on an API server that lags at version {version}"
                ),
            },
            Fault::Stale(EventAt { process, resource, event }, seconds) => {
                format!(
                    "the watch of {process} on {resource} is silent for {seconds} s before its event {event}"
                )
            }
            Fault::Skip(EventAt { process, resource, event }) => {
                format!(
                    "{process} misses events of {resource} from event {event} on, and lists again after 20 s"
                )
            }
            Fault::Hurry(step) => {
                format!("step {step} of the scenario comes before the controllers are quiet")
            }
            Fault::Edit(step, field) => {
                format!(
                    "after step {step} another client changes {field}, and changes it back when all is quiet"
                )
            }
            Fault::Flash(step, field) => {
                format!("after step {step} another client changes {field}, and changes it back at once")
            }
            Fault::Recreate(step) => {
                format!("after step {step} another client deletes the object and creates it again")
            }
            Fault::Order(_) => "requests and events are delayed and overtake each other".to_owned(),
        }
    }
}

/// Escapes what separates the parts of a plan.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace(':', "%3a").replace(',', "%2c").replace(' ', "%20")
}

fn unescaped(text: &str) -> String {
    text.replace("%20", " ").replace("%2c", ",").replace("%3a", ":").replace("%25", "%")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = |at: &EventAt| format!("{}:{}:{}", escaped(&at.process), escaped(&at.resource), at.event);
        match self {
            Fault::Write(at, fault) => {
                let place = format!("{}:{}", escaped(&at.process), at.write);
                match fault {
                    WriteFault::CrashBefore => write!(f, "crash-before:{place}"),
                    WriteFault::CrashAfter => write!(f, "crash-after:{place}"),
                    WriteFault::Down => write!(f, "down:{place}"),
                    WriteFault::Lost => write!(f, "lost:{place}"),
                    WriteFault::TimedOut => write!(f, "timed-out:{place}"),
                    WriteFault::Conflict => write!(f, "conflict:{place}"),
                    WriteFault::Throttle => write!(f, "throttle:{place}"),
                    WriteFault::Delay => write!(f, "delay:{place}"),
                    WriteFault::TwoLeaders => write!(f, "two-leaders:{place}"),
                    WriteFault::Remove => write!(f, "remove:{place}"),
                    WriteFault::StaleAll(seconds) => write!(f, "stale-all:{place}:{seconds}"),
                    WriteFault::Rewind(version) => write!(f, "rewind:{place}:{version}"),
                }
            }
            Fault::Stale(at, seconds) => write!(f, "stale:{}:{seconds}", event(at)),
            Fault::Skip(at) => write!(f, "skip:{}", event(at)),
            Fault::Hurry(step) => write!(f, "hurry:{step}"),
            Fault::Edit(step, field) => write!(f, "edit:{step}:{}", escaped(field)),
            Fault::Flash(step, field) => write!(f, "flash:{step}:{}", escaped(field)),
            Fault::Recreate(step) => write!(f, "recreate:{step}"),
            Fault::Order(seed) => write!(f, "order:{seed}"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.map(|steps| format!("steps:{steps}"));
        let all: Vec<String> = self.faults.iter().map(Fault::to_string).chain(steps).collect();
        f.write_str(if all.is_empty() { "none".to_owned() } else { all.join(",") }.as_str())
    }
}

/// A text that is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanError(pub(crate) String);

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Plan, PlanError> {
        let mut plan = Plan::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "none") {
            match part.strip_prefix("steps:") {
                Some(steps) => plan.steps = Some(number(steps, part)?),
                None => plan.faults.push(fault(part)?),
            }
        }
        Ok(plan)
    }
}

fn number<T: FromStr>(text: &str, part: &str) -> Result<T, PlanError> {
    text.parse().map_err(|_| PlanError(format!("{part:?} has {text:?} where a number is expected")))
}

fn fault(part: &str) -> Result<Fault, PlanError> {
    let words: Vec<String> = part.split(':').map(unescaped).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let write = |process: &str, at: &str, fault| {
        Ok(Fault::Write(WriteAt { process: process.to_owned(), write: number(at, part)? }, fault))
    };
    let event = |process: &str, resource: &str, at: &str| {
        Ok(EventAt { process: process.to_owned(), resource: resource.to_owned(), event: number(at, part)? })
    };
    match words.as_slice() {
        ["crash-before", process, at] => write(process, at, WriteFault::CrashBefore),
        ["crash-after", process, at] => write(process, at, WriteFault::CrashAfter),
        ["down", process, at] => write(process, at, WriteFault::Down),
        ["lost", process, at] => write(process, at, WriteFault::Lost),
        ["timed-out", process, at] => write(process, at, WriteFault::TimedOut),
        ["conflict", process, at] => write(process, at, WriteFault::Conflict),
        ["throttle", process, at] => write(process, at, WriteFault::Throttle),
        ["delay", process, at] => write(process, at, WriteFault::Delay),
        ["two-leaders", process, at] => write(process, at, WriteFault::TwoLeaders),
        ["remove", process, at] => write(process, at, WriteFault::Remove),
        ["stale-all", process, at, seconds] => {
            write(process, at, WriteFault::StaleAll(number(seconds, part)?))
        }
        ["rewind", process, at, version] => write(process, at, WriteFault::Rewind(number(version, part)?)),
        ["stale", process, resource, at, seconds] => {
            Ok(Fault::Stale(event(process, resource, at)?, number(seconds, part)?))
        }
        ["skip", process, resource, at] => Ok(Fault::Skip(event(process, resource, at)?)),
        ["hurry", step] => Ok(Fault::Hurry(number(step, part)?)),
        ["edit", step, field] => Ok(Fault::Edit(number(step, part)?, (*field).to_owned())),
        ["flash", step, field] => Ok(Fault::Flash(number(step, part)?, (*field).to_owned())),
        ["recreate", step] => Ok(Fault::Recreate(number(step, part)?)),
        ["order", seed] => Ok(Fault::Order(number(seed, part)?)),
        _ => Err(PlanError(format!("{part:?} is no fault: copy the whole SIM_REPLAY line of the report"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // holds: Y4
    #[test]
    fn the_text_of_a_plan_gives_the_plan_again() {
        let text = "crash-before:a:1,crash-after:a%3ab:2,down:a:3,lost:a:3,timed-out:a:3,conflict:a:4,throttle:a:5,delay:a:6,\
                    two-leaders:a:7,remove:a:8,stale-all:a:9:20,rewind:a:10:77,stale:a:pods:1:120,\
                    skip:a:foos.x.y:2,hurry:3,edit:1:/spec/a,flash:1:/spec/b,recreate:2,order:99,steps:4";
        let plan: Plan = text.parse().unwrap();
        assert_eq!(plan.to_string(), text);
        assert_eq!(plan.faults.len(), 19);
        assert!(matches!(&plan.faults[1], Fault::Write(at, _) if at.process == "a:b"));
        assert_eq!("none".parse(), Ok(Plan::default()));
        assert_eq!(Plan::default().to_string(), "none");
    }

    // holds: Y8
    #[test]
    fn a_text_that_is_no_plan_is_an_error() {
        for text in ["crash", "crash-after:a:x", "steps:", "order:a:b"] {
            assert!(text.parse::<Plan>().is_err(), "{text}");
        }
    }
}
