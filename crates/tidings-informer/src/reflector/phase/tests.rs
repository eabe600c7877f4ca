//! Every phase × every outcome, in one table.
//!
//! A cell is the next operation (`s` streaming list, `l` list, both at the last version; `S`, `L` the same at the most
//! recent state; `w` watch; `p` probe), when it starts (`!` at once, `~` after a backoff delay, `#` at once, and the
//! refusal of streaming lists is remembered), and the streak (`x` expired, `m` malformed, `q` quiet, a digit for
//! failures).
//!
//! The rows and columns are generated from the enums with [`every`]. A new variant, for instance a new [`ErrorClass`],
//! does not compile until it is listed, and then the table lacks its row.

use tidings_source::ErrorClass;

use super::*;

/// Every value of an enum: its unit variants, and examples of each other variant. The match inside has no wildcard.
macro_rules! every {
    ($enum:ident { $($unit:ident),* $(,)? } $($pattern:pat => $examples:expr),*) => {{
        let _all_are_listed = |value: $enum| match value {
            $($enum::$unit => (),)*
            $($pattern => (),)*
        };
        #[allow(unused_mut, reason = "an enum may have unit variants only")]
        let mut every = vec![$($enum::$unit),*];
        $(every.extend($examples);)*
        every
    }};
}

const TABLE: &str = "
                                  s     S     l     L     w     wx    wm    wq    w1    w2    pq
Listed                            w!    w!    w!    w!    s~    s~    s~    s~    s~    s~    w!q
Closed                            s!1   S!1   s~    S~    w!q   w!q   w!q   p!q   w!q   w!q   w!q
ClosedEarly                       l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Silent                            l#    L#    s~    S~    w!q   w!q   w!q   p!q   w!q   w!q   w!q
StreamingRefused                  l#    L#    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Tolerated                         l!    L!    s~    S~    w!    w!    w!    w!    w!    w!    w!q
UpToDate                          l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
WentBack                          l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    S!
Opening Expired                   S!    L~    L!    S~    s!x   s~x   s!x   s!x   s!x   s!x   w!q
Opening VersionTooLarge           S!    L~    L!    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening TooManyRequests           s~    S~    s~    S~    w~    w~x   w~m   w~q   w~1   w~2   w!q
Opening ConnectionRefused         s~    S~    s~    S~    w~    w~x   w~m   w~q   w~1   w~2   w!q
Opening StreamingListRefused      l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Unauthorized              l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Forbidden                 l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening NotFound                  l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Internal                  l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Server                    l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Network                   l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Opening Malformed                 l!    L!    s~    S~    w~m   w~m   s~    w~m   w~m   w~m   w!q
Streaming Expired                 S!    L~    L!    S~    s!x   s~x   s!x   s!x   s!x   s!x   w!q
Streaming VersionTooLarge         S!    L~    L!    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming TooManyRequests         s~    S~    s~    S~    w~    w~x   w~m   w~q   w~1   w~2   w!q
Streaming ConnectionRefused       s~    S~    s~    S~    w~    w~x   w~m   w~q   w~1   w~2   w!q
Streaming StreamingListRefused    l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Unauthorized            l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Forbidden               l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming NotFound                l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Internal                l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Server                  l!    L!    s~    S~    s~    s~    s~    s~    s~    s~    w!q
Streaming Network                 l!    L!    s~    S~    w~1   w~1   w~1   w~1   w~2   s~    w!q
Streaming Malformed               l!    L!    s~    S~    w~m   w~m   s~    w~m   w~m   w~m   w!q
";

fn error_classes() -> Vec<ErrorClass> {
    every!(ErrorClass {
        Expired,
        VersionTooLarge,
        TooManyRequests,
        ConnectionRefused,
        StreamingListRefused,
        Unauthorized,
        Forbidden,
        NotFound,
        Internal,
        Server,
        Network,
        Malformed,
    })
}

fn ends() -> Vec<OperationEnd> {
    let stages = every!(FailureStage { Opening, Streaming });
    every!(
        OperationEnd {
            Listed, Closed, ClosedEarly, Silent, StreamingRefused, Tolerated, UpToDate, WentBack,
        }
        OperationEnd::Failed(..) => stages.into_iter().flat_map(|stage| {
            error_classes().into_iter().map(move |class| OperationEnd::Failed(stage, class))
        })
    )
}

/// Lists before watch and probe, as the table has them.
fn operations() -> Vec<Operation> {
    let versions = every!(ListVersion { LastSeen, MostRecent });
    let mut operations = every!(
        Operation { Watch, Probe }
        Operation::StreamList(_) => versions.iter().copied().map(Operation::StreamList),
        Operation::List(_) => versions.iter().copied().map(Operation::List)
    );
    operations.rotate_left(2);
    operations
}

fn streaks() -> Vec<FailureStreak> {
    every!(
        FailureStreak { None, Expired, Malformed, Quiet }
        FailureStreak::Failures(_) => (1..FAILURES_MAX).map(FailureStreak::Failures)
    )
}

/// The columns of the table: each operation with the streaks that make a difference, apart from early closes.
fn columns() -> Vec<Phase> {
    let phases = operations().into_iter().flat_map(|operation| {
        let streaks = match operation {
            Operation::StreamList(_) | Operation::List(_) => vec![FailureStreak::None],
            Operation::Watch => streaks(),
            Operation::Probe => vec![FailureStreak::Quiet],
        };
        streaks.into_iter().map(move |streak| Phase { operation, streak })
    });
    phases.collect()
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::StreamList(ListVersion::LastSeen) => "s",
        Operation::StreamList(ListVersion::MostRecent) => "S",
        Operation::List(ListVersion::LastSeen) => "l",
        Operation::List(ListVersion::MostRecent) => "L",
        Operation::Watch => "w",
        Operation::Probe => "p",
    }
}

fn streak_name(streak: FailureStreak) -> String {
    match streak {
        FailureStreak::None => String::new(),
        FailureStreak::Expired => "x".to_owned(),
        FailureStreak::Malformed => "m".to_owned(),
        FailureStreak::Quiet => "q".to_owned(),
        FailureStreak::Failures(n) => n.to_string(),
    }
}

fn end_name(end: OperationEnd) -> String {
    match end {
        OperationEnd::Failed(stage, class) => format!("{stage:?} {class:?}"),
        end => format!("{end:?}"),
    }
}

fn cell((phase, effect): (Phase, PhaseEffect)) -> String {
    let when = match effect {
        PhaseEffect::AtOnce => "!",
        PhaseEffect::BackOff => "~",
        PhaseEffect::RememberRefusal => "#",
    };
    format!("{}{when}{}", operation_name(phase.operation), streak_name(phase.streak))
}

fn after(operation: Operation, streak: FailureStreak, end: OperationEnd) -> (Phase, PhaseEffect) {
    Phase { operation, streak }.after(OperationOutcome { end, has_progressed: false })
}

// holds: R21, R30, R32, R36, R37, R38, R39, R54, R55, R56, R57, R58, X26
#[test]
fn every_outcome_of_every_phase_leads_where_the_table_says() {
    let columns = columns();
    let mut table = format!("\n{:34}", "");
    let row = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:<6}")).collect::<String>();
    let names =
        columns.iter().map(|phase| operation_name(phase.operation).to_owned() + &streak_name(phase.streak));
    table += row(names.collect()).trim_end();
    for end in ends() {
        let cells = columns.iter().map(|phase| cell(after(phase.operation, phase.streak, end)));
        table += &format!("\n{:<34}{}", end_name(end), row(cells.collect()).trim_end());
    }
    table.push('\n');
    assert_eq!(table, TABLE, "the table is now:\n{table}");
}

// holds: R24
#[test]
fn after_a_successful_list_the_next_relist_requests_the_last_version_again() {
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
fn progress_resets_the_streak() {
    for end in ends() {
        for streak in streaks() {
            let on = |streak| {
                Phase { operation: Operation::Watch, streak }
                    .after(OperationOutcome { end, has_progressed: true })
            };
            assert_eq!(on(streak), on(FailureStreak::None), "{streak:?} {end:?}");
        }
    }
}

/// Otherwise the next quiet watch would count as the second in a row, and cause a probe.
#[test]
fn a_watch_with_progress_is_not_a_quiet_one() {
    for end in [OperationEnd::Closed, OperationEnd::Silent] {
        for streak in [FailureStreak::None, FailureStreak::Quiet, FailureStreak::Failures(1)] {
            let on = Phase { operation: Operation::Watch, streak }
                .after(OperationOutcome { end, has_progressed: true });
            assert_eq!(cell(on), "w!", "{streak:?} {end:?}");
        }
    }
}

#[test]
fn a_streaming_list_that_is_always_closed_early_is_replaced_by_a_list() {
    let (mut phase, mut path) = (Phase::START, String::new());
    for _ in 0..3 {
        let next = phase.after(OperationOutcome { end: OperationEnd::Closed, has_progressed: false });
        path += &format!("{} ", cell(next));
        phase = next.0;
    }
    assert_eq!(path, "s!1 s~2 l~2 ");
}

/// The phases that can follow without any delay, after a failure or a list. The close of a watch takes time, because
/// the watch lasted a second or received an event. Silence takes time too.
fn follows_at_once(phase: Phase) -> Vec<Phase> {
    let mut follows = Vec::new();
    for end in ends() {
        let takes_time = match phase.operation {
            Operation::Watch => matches!(
                end,
                OperationEnd::Closed | OperationEnd::Silent | OperationEnd::Tolerated | OperationEnd::Listed
            ),
            Operation::StreamList(_) | Operation::List(_) => {
                matches!(end, OperationEnd::Silent | OperationEnd::Tolerated)
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
fn no_cycle_of_failures_and_lists_is_without_a_backoff_delay() {
    fn walk(phase: Phase, path: &mut Vec<Phase>, done: &mut Vec<Phase>) {
        assert!(!path.contains(&phase), "a cycle without a backoff delay: {path:?}");
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
    let mut done = Vec::new();
    for operation in operations() {
        for streak in streaks() {
            walk(Phase { operation, streak }, &mut Vec::new(), &mut done);
        }
    }
}
