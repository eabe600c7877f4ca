//! Scripts: what containers do at which time, and how scripts are read.

use super::*;

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn script(text: &str) -> Script {
    text.parse().unwrap()
}

/// The states of a script at the times where something changes, as text.
fn timeline(text: &str, policy: RestartPolicy, chance: f64, changes: usize) -> Vec<String> {
    let mut seen = Vec::new();
    let mut time = Duration::ZERO;
    for _ in 0..changes {
        let moment = script(text).at(policy, |_| chance, time);
        let state = match moment.state {
            State::Waiting { reason } => reason.to_owned(),
            State::Running { is_ready, .. } => if is_ready { "ready" } else { "running" }.to_owned(),
            State::Ended(Ended { code, .. }) => format!("ended {code}"),
        };
        seen.push(format!("{}s {state} {}", time.as_secs_f64(), moment.restarts));
        let Some(next) = moment.next else { break };
        assert!(next > time, "{text}: the next change is not later than {time:?}");
        time = next;
    }
    seen
}

#[test]
fn containers_start_become_ready_and_fail_their_probe_as_the_script_says() {
    let text = "start-after=2s,ready-after=3s,unready=10s..12s";
    let seen = timeline(text, RestartPolicy::Always, 0.5, 10);
    assert_eq!(
        seen,
        ["0s ContainerCreating 0", "2s running 0", "5s ready 0", "12s running 0", "14s ready 0"]
    );
    assert_eq!(timeline("", RestartPolicy::Always, 0.5, 10), ["0s ready 0"]);
    assert_eq!(timeline("never-start", RestartPolicy::Always, 0.5, 10), ["0s ContainerCreating 0"]);
    assert_eq!(timeline("never-ready", RestartPolicy::Always, 0.5, 10), ["0s running 0"]);
}

#[test]
fn the_restart_policy_decides_what_follows_an_exit() {
    assert_eq!(timeline("", RestartPolicy::Never, 0.5, 10), ["0s ready 0", "1s ended 0 0"]);
    let fails = "exit-after=5s,exit-code=3";
    assert_eq!(timeline(fails, RestartPolicy::Never, 0.5, 10), ["0s ready 0", "5s ended 3 0"]);
    let crashes = timeline(fails, RestartPolicy::OnFailure, 0.5, 7);
    let expected = [
        "0s ready 0",
        "5s ready 1",
        "10s CrashLoopBackOff 2",
        "20s ready 2",
        "25s CrashLoopBackOff 3",
        "45s ready 3",
        "50s CrashLoopBackOff 4",
    ];
    assert_eq!(crashes, expected);
    assert_eq!(timeline("never-exit", RestartPolicy::Never, 0.5, 10), ["0s ready 0"]);
}

#[test]
fn chance_below_the_failure_rate_fails_a_run() {
    let seen = timeline("fail-rate=0.3,exit-after=4s", RestartPolicy::Never, 0.2, 10);
    assert_eq!(seen, ["0s ready 0", "4s ended 1 0"]);
    let seen = timeline("fail-rate=0.3,exit-after=4s", RestartPolicy::Never, 0.3, 10);
    assert_eq!(seen, ["0s ready 0", "4s ended 0 0"]);
    let late = script("jitter=10s").at(RestartPolicy::Always, |_| 0.5, s(4));
    assert_eq!(late.next, Some(s(5)));
}

#[test]
fn a_wrong_part_of_a_script_is_named() {
    for wrong in ["sleep=1s", "start-after=1", "fail-rate=2", "unready=1s", "exit-code=x", "jitter=-1s"] {
        let error = format!("never-ready,{wrong}").parse::<Script>().unwrap_err();
        assert_eq!(error.part, wrong);
    }
    assert_eq!(script("start-after=1.5s").start_after, Some(Duration::from_millis(1500)));
    assert_eq!(script("exit-code=4, exit-after=2m"), Script::new().exit_after(s(120), 4));
}

#[test]
fn a_stop_takes_at_most_the_grace_period() {
    assert_eq!(script("").stop_within(s(30)), s(0));
    assert_eq!(script("stop-after=5s").stop_within(s(30)), s(5));
    assert_eq!(script("stop-after=50s").stop_within(s(30)), s(30));
    assert_eq!(script("never-stop").stop_within(s(30)), s(30));
}
