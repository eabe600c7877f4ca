//! Every phase × every outcome, in one table.
//!
//! A cell says what is asked next (`s` streaming list, `l` list, at the last version; `S`, `L` the same, at the most
//! recent state; `w` watch; `p` probe), when (`!` at once, `~` after backing off, `#` at once, remembering the refusal), and
//! what is remembered (`x` expired, `b` broken, `q` quiet, a digit for strikes, nothing for a clean slate).

use tidings_source::ErrorClass;

use super::*;

const ASKS: [(&str, Operation, FailureStreak); 11] = [
    ("s", Operation::StreamList(ListVersion::LastSeen), FailureStreak::None),
    ("S", Operation::StreamList(ListVersion::MostRecent), FailureStreak::None),
    ("l", Operation::List(ListVersion::LastSeen), FailureStreak::None),
    ("L", Operation::List(ListVersion::MostRecent), FailureStreak::None),
    ("w", Operation::Watch, FailureStreak::None),
    ("wx", Operation::Watch, FailureStreak::Expired),
    ("wb", Operation::Watch, FailureStreak::Malformed),
    ("wq", Operation::Watch, FailureStreak::Quiet),
    ("w1", Operation::Watch, FailureStreak::Failures(1)),
    ("w2", Operation::Watch, FailureStreak::Failures(2)),
    ("pq", Operation::Probe, FailureStreak::Quiet),
];

const CLASSES: [ErrorClass; 12] = [
    ErrorClass::Expired,
    ErrorClass::VersionTooLarge,
    ErrorClass::TooManyRequests,
    ErrorClass::ConnectionRefused,
    ErrorClass::StreamingListRefused,
    ErrorClass::Unauthorized,
    ErrorClass::Forbidden,
    ErrorClass::NotFound,
    ErrorClass::Internal,
    ErrorClass::Server,
    ErrorClass::Network,
    ErrorClass::Malformed,
];

const TABLE: &str = "
                                  s     S     l     L     w     wx    wb    wq    w1    w2    pq
Listed                            w!    w!    w!    w!    s~    s~    s~    s~    s~    s~    w!q
Closed                            s!1   S!1   s~    S~    w!q   w!q   w!q   p!q   w!q   w!q   w!q
ClosedEarly                       l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Silent                            l#    L#    s~    S~    w!q   w!q   w!q   p!q   w!q   w!q   w!q
StreamingRefused                  l#    L#    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Forgiven                          l!    L!    s~    S~    w!    w!    w!    w!    w!    w!    w!q
UpToDate                          l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
WentBack                          l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    S!
Opening Expired                   S!    L~    L!    S~    s!x   s~x   s!x   s!x   s!x   s!x   w!q
Opening VersionTooLarge           S!    L~    L!    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening TooManyRequests           s~    S~    s~    S~    w~    w~x   w~b   w~q   w~1   w~2   w!q
Opening ConnectionRefused         s~    S~    s~    S~    w~    w~x   w~b   w~q   w~1   w~2   w!q
Opening StreamingListRefused      l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Unauthorized              l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Forbidden                 l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening NotFound                  l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Internal                  l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Server                    l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Network                   l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Malformed                 l!    L!    s~    S~    w~b   w~b   s~    w~b   w~b   w~b   w!q
Streaming Expired                 S!    L~    L!    S~    s!x   s~x   s!x   s!x   s!x   s!x   w!q
Streaming VersionTooLarge         S!    L~    L!    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming TooManyRequests         s~    S~    s~    S~    w~    w~x   w~b   w~q   w~1   w~2   w!q
Streaming ConnectionRefused       s~    S~    s~    S~    w~    w~x   w~b   w~q   w~1   w~2   w!q
Streaming StreamingListRefused    l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Unauthorized            l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Forbidden               l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming NotFound                l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Internal                l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Server                  l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Network                 l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Streaming Malformed               l!    L!    s~    S~    w~b   w~b   s~    w~b   w~b   w~b   w!q
";

fn ends() -> Vec<(String, OperationEnd)> {
    let plain = [
        OperationEnd::Listed,
        OperationEnd::Closed,
        OperationEnd::ClosedEarly,
        OperationEnd::Silent,
        OperationEnd::StreamingRefused,
        OperationEnd::Forgiven,
        OperationEnd::UpToDate,
        OperationEnd::WentBack,
    ];
    let mut ends: Vec<_> = plain.map(|end| (format!("{end:?}"), end)).into();
    for stage in [FailureStage::Opening, FailureStage::Streaming] {
        ends.extend(
            CLASSES.map(|class| (format!("{stage:?} {class:?}"), OperationEnd::Failed(stage, class))),
        );
    }
    ends
}

fn cell((phase, effect): (Phase, PhaseEffect)) -> String {
    let operation = match phase.operation {
        Operation::StreamList(ListVersion::LastSeen) => "s",
        Operation::StreamList(ListVersion::MostRecent) => "S",
        Operation::List(ListVersion::LastSeen) => "l",
        Operation::List(ListVersion::MostRecent) => "L",
        Operation::Watch => "w",
        Operation::Probe => "p",
    };
    let when = match effect {
        PhaseEffect::AtOnce => "!",
        PhaseEffect::BackOff => "~",
        PhaseEffect::RememberRefusal => "#",
    };
    let streak = match phase.streak {
        FailureStreak::None => String::new(),
        FailureStreak::Expired => "x".to_owned(),
        FailureStreak::Malformed => "b".to_owned(),
        FailureStreak::Quiet => "q".to_owned(),
        FailureStreak::Failures(n) => n.to_string(),
    };
    format!("{operation}{when}{streak}")
}

fn after(operation: Operation, streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    Phase { operation, streak }.after(OperationOutcome { end, has_progressed: false })
}

// holds: R21, R30, R32, R36, R37, R38, R39, R54, R55, R56, R57, R58, X26
#[test]
fn every_outcome_of_every_phase_leads_where_the_table_says() {
    let mut table = format!("\n{:32}", "");
    let row = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:<6}")).collect::<String>();
    table += "  ";
    table += row(ASKS.map(|(name, ..)| name.to_owned()).into()).trim_end();
    for (name, end) in ends() {
        let cells = ASKS.map(|(_, operation, streak)| cell(after(operation, streak, end)));
        table += &format!("\n{name:<34}{}", row(cells.into()).trim_end());
    }
    table.push('\n');
    assert_eq!(table, TABLE, "now it says:\n{table}");
}

// holds: R24
#[test]
fn a_list_that_succeeded_forgets_that_the_last_version_was_not_to_be_had() {
    for operation in
        [Operation::StreamList(ListVersion::MostRecent), Operation::List(ListVersion::MostRecent)]
    {
        let (watching, _) = after(operation, FailureStreak::None, OperationEnd::Listed);
        let (relisting, _) =
            watching.after(OperationOutcome { end: OperationEnd::ClosedEarly, has_progressed: false });
        assert_eq!(relisting.operation, Operation::StreamList(ListVersion::LastSeen));
    }
}

#[test]
fn getting_on_wipes_the_slate() {
    let streaks = [
        FailureStreak::Expired,
        FailureStreak::Malformed,
        FailureStreak::Failures(1),
        FailureStreak::Failures(2),
    ];
    for (_, end) in ends() {
        for streak in streaks {
            let on = |streak| {
                Phase { operation: Operation::Watch, streak }
                    .after(OperationOutcome { end, has_progressed: true })
            };
            assert_eq!(on(streak), on(FailureStreak::None), "{streak:?} {end:?}");
        }
    }
}

/// Else the next quiet watch would be taken for the second in a row, and cost a probe.
#[test]
fn a_watch_that_got_on_is_not_a_quiet_one() {
    for end in [OperationEnd::Closed, OperationEnd::Silent] {
        for streak in [FailureStreak::None, FailureStreak::Quiet, FailureStreak::Failures(1)] {
            let on = Phase { operation: Operation::Watch, streak }
                .after(OperationOutcome { end, has_progressed: true });
            assert_eq!(cell(on), "w!", "{streak:?} {end:?}");
        }
    }
}

#[test]
fn a_streaming_list_that_is_always_cut_short_ends_in_a_list() {
    let (mut phase, mut path) = (Phase::START, String::new());
    for _ in 0..3 {
        let next = phase.after(OperationOutcome { end: OperationEnd::Closed, has_progressed: false });
        path += &format!("{} ", cell(next));
        phase = next.0;
    }
    assert_eq!(path, "s!1 s~2 l~2 ");
}

/// What can follow at once, by a failure or a list. A close is no failure on a watch, which then lasted a second
/// or brought an event; silence took its time.
fn follows_at_once(phase: Phase) -> Vec<Phase> {
    let mut follows = Vec::new();
    for (_, end) in ends() {
        let takes_time = match phase.operation {
            Operation::Watch => matches!(
                end,
                OperationEnd::Closed | OperationEnd::Silent | OperationEnd::Forgiven | OperationEnd::Listed
            ),
            Operation::StreamList(_) | Operation::List(_) => {
                matches!(end, OperationEnd::Silent | OperationEnd::Forgiven)
            }
            Operation::Probe => false,
        };
        let (next, effect) = phase.after(OperationOutcome { end, has_progressed: false });
        if !takes_time && effect != PhaseEffect::BackOff && !follows.contains(&next) {
            follows.push(next);
        }
    }
    follows
}

#[test]
fn no_row_of_failures_and_lists_goes_round_without_backing_off() {
    fn walk(phase: Phase, path: &mut Vec<Phase>, done: &mut Vec<Phase>) {
        assert!(!path.contains(&phase), "round without backing off: {path:?}");
        if done.contains(&phase) {
            return;
        }
        path.push(phase);
        for next in follows_at_once(phase) {
            walk(next, path, done);
        }
        path.pop();
        done.push(phase);
    }
    let streaks = [
        FailureStreak::None,
        FailureStreak::Expired,
        FailureStreak::Malformed,
        FailureStreak::Failures(1),
        FailureStreak::Failures(2),
    ];
    let mut done = Vec::new();
    for (_, operation, _) in ASKS {
        for streak in streaks {
            walk(Phase { operation, streak }, &mut Vec::new(), &mut done);
        }
    }
}
