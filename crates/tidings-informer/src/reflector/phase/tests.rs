//! Every phase × every outcome, in one table.
//!
//! A cell says what is asked next (`s` streaming list, `l` list, at the last version; `S`, `L` the same, at the most
//! recent state; `w` watch; `p` probe), when (`!` at once, `~` after backing off, `#` at once, remembering the refusal), and
//! what is remembered (`x` expired, `b` broken, `q` quiet, a digit for strikes, nothing for a clean slate).

use tidings_source::ErrorClass;

use super::*;

const ASKS: [(&str, Ask, Streak); 11] = [
    ("s", Ask::StreamList(At::Last), Streak::Clean),
    ("S", Ask::StreamList(At::MostRecent), Streak::Clean),
    ("l", Ask::List(At::Last), Streak::Clean),
    ("L", Ask::List(At::MostRecent), Streak::Clean),
    ("w", Ask::Watch, Streak::Clean),
    ("wx", Ask::Watch, Streak::Expired),
    ("wb", Ask::Watch, Streak::Broken),
    ("wq", Ask::Watch, Streak::Quiet),
    ("w1", Ask::Watch, Streak::Strikes(1)),
    ("w2", Ask::Watch, Streak::Strikes(2)),
    ("pq", Ask::Probe, Streak::Quiet),
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

fn ends() -> Vec<(String, End)> {
    let plain = [
        End::Listed,
        End::Closed,
        End::ClosedEarly,
        End::Silent,
        End::StreamingRefused,
        End::Forgiven,
        End::UpToDate,
        End::WentBack,
    ];
    let mut ends: Vec<_> = plain.map(|end| (format!("{end:?}"), end)).into();
    for stage in [Stage::Opening, Stage::Streaming] {
        ends.extend(CLASSES.map(|class| (format!("{stage:?} {class:?}"), End::Failed(stage, class))));
    }
    ends
}

fn cell((phase, effect): (Phase, Effect)) -> String {
    let ask = match phase.ask {
        Ask::StreamList(At::Last) => "s",
        Ask::StreamList(At::MostRecent) => "S",
        Ask::List(At::Last) => "l",
        Ask::List(At::MostRecent) => "L",
        Ask::Watch => "w",
        Ask::Probe => "p",
    };
    let when = match effect {
        Effect::AtOnce => "!",
        Effect::BackOff => "~",
        Effect::RememberRefusal => "#",
    };
    let streak = match phase.streak {
        Streak::Clean => String::new(),
        Streak::Expired => "x".to_owned(),
        Streak::Broken => "b".to_owned(),
        Streak::Quiet => "q".to_owned(),
        Streak::Strikes(n) => n.to_string(),
    };
    format!("{ask}{when}{streak}")
}

fn after(ask: Ask, streak: Streak, end: End) -> (Phase, Effect) {
    Phase { ask, streak }.after(Outcome { end, has_progressed: false })
}

// holds: R21, R30, R32, R36, R37, R38, R39, R54, R55, R56, R57, R58, X26
#[test]
fn every_outcome_of_every_phase_leads_where_the_table_says() {
    let mut table = format!("\n{:32}", "");
    let row = |cells: Vec<String>| cells.iter().map(|cell| format!("{cell:<6}")).collect::<String>();
    table += "  ";
    table += row(ASKS.map(|(name, ..)| name.to_owned()).into()).trim_end();
    for (name, end) in ends() {
        let cells = ASKS.map(|(_, ask, streak)| cell(after(ask, streak, end)));
        table += &format!("\n{name:<34}{}", row(cells.into()).trim_end());
    }
    table.push('\n');
    assert_eq!(table, TABLE, "now it says:\n{table}");
}

// holds: R24
#[test]
fn a_list_that_succeeded_forgets_that_the_last_version_was_not_to_be_had() {
    for ask in [Ask::StreamList(At::MostRecent), Ask::List(At::MostRecent)] {
        let (watching, _) = after(ask, Streak::Clean, End::Listed);
        let (relisting, _) = watching.after(Outcome { end: End::ClosedEarly, has_progressed: false });
        assert_eq!(relisting.ask, Ask::StreamList(At::Last));
    }
}

#[test]
fn getting_on_wipes_the_slate() {
    let streaks = [Streak::Expired, Streak::Broken, Streak::Strikes(1), Streak::Strikes(2)];
    for (_, end) in ends() {
        for streak in streaks {
            let on = |streak| Phase { ask: Ask::Watch, streak }.after(Outcome { end, has_progressed: true });
            assert_eq!(on(streak), on(Streak::Clean), "{streak:?} {end:?}");
        }
    }
}

/// Else the next quiet watch would be taken for the second in a row, and cost a probe.
#[test]
fn a_watch_that_got_on_is_not_a_quiet_one() {
    for end in [End::Closed, End::Silent] {
        for streak in [Streak::Clean, Streak::Quiet, Streak::Strikes(1)] {
            let on = Phase { ask: Ask::Watch, streak }.after(Outcome { end, has_progressed: true });
            assert_eq!(cell(on), "w!", "{streak:?} {end:?}");
        }
    }
}

#[test]
fn a_streaming_list_that_is_always_cut_short_ends_in_a_list() {
    let (mut phase, mut path) = (Phase::START, String::new());
    for _ in 0..3 {
        let next = phase.after(Outcome { end: End::Closed, has_progressed: false });
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
        let takes_time = match phase.ask {
            Ask::Watch => matches!(end, End::Closed | End::Silent | End::Forgiven | End::Listed),
            Ask::StreamList(_) | Ask::List(_) => matches!(end, End::Silent | End::Forgiven),
            Ask::Probe => false,
        };
        let (next, effect) = phase.after(Outcome { end, has_progressed: false });
        if !takes_time && effect != Effect::BackOff && !follows.contains(&next) {
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
    let streaks = [Streak::Clean, Streak::Expired, Streak::Broken, Streak::Strikes(1), Streak::Strikes(2)];
    let mut done = Vec::new();
    for (_, ask, _) in ASKS {
        for streak in streaks {
            walk(Phase { ask, streak }, &mut Vec::new(), &mut done);
        }
    }
}
