//! Help, completions, manual pages and the demo.

use crate::bad_input::check;
use crate::process::{RunningProgram, run};

#[tokio::test]
async fn completions_and_the_manual_name_every_command() {
    for arguments in
        [&["completions", "bash"][..], &["completions", "zsh"], &["completions", "fish"], &["man"]]
    {
        let ended = run(arguments).await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        for command in ["watch", "get", "demo", "serve"] {
            assert!(ended.stdout.contains(command), "{arguments:?} lacks {command}");
        }
    }
}

#[tokio::test]
async fn every_command_has_a_manual_page_with_its_flags() {
    for (command, flag) in [("watch", "until\\-events"), ("get", "by"), ("top", "url"), ("serve", "faults")] {
        let ended = run(&["man", command]).await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains(&format!(".TH tidings-{command}")), "{}", ended.stdout);
        assert!(ended.stdout.contains(&format!("\\-\\-{flag}\\fR")), "{flag}: {}", ended.stdout);
    }
    check(&run(&["man", "oops"]).await, 2, &["\"oops\"", "tidings --help"]);
}

#[tokio::test]
async fn the_help_groups_the_flags_for_the_cluster() {
    for (command, own) in [("watch", "--until-synced"), ("get", "--by"), ("dashboard", "--listen")] {
        let help = run(&[command, "--help"]).await.stdout;
        let (options, cluster) = help.split_once("Cluster:").expect("there is such a heading");
        assert!(options.contains(own) && !cluster.contains(own), "{help}");
        assert!(cluster.contains("--kubeconfig") && cluster.contains("--server"), "{help}");
    }
}

#[tokio::test]
async fn help_lists_the_exit_codes() {
    let ended = run(&["--help"]).await;
    assert!(ended.stdout.contains("Exit codes") && ended.stdout.contains("401 or 403"), "{}", ended.stdout);
}

#[tokio::test]
async fn the_demo_ends_by_itself_with_caches_that_equal_the_server() {
    let ended = run(&["demo", "--seconds", "5"]).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for mark in ["[ADD]", "[UPDATE]", "[RECONCILE]", "status.phase Pending -> Running", "nothing lost"] {
        assert!(ended.stdout.contains(mark), "{mark} is missing in {}", ended.stdout);
    }
}

#[tokio::test]
async fn the_demo_breaks_its_watches_and_shows_the_recovery() {
    let mut demo = RunningProgram::start(&["demo", "--seconds", "60"]);
    for mark in ["[BREAK]", "[FAULT]", "[RECOVER]"] {
        while !demo.line().await.expect("it goes on").starts_with(mark) {}
    }
    demo.terminate().await;
    let mut last = Vec::new();
    while let Some(line) = demo.line().await {
        last.push(line);
    }
    assert!(last.iter().any(|line| line.contains("nothing lost: the caches equal the server")), "{last:?}");
    assert_eq!(demo.ended().await, 0);
}

#[tokio::test]
async fn the_demo_ends_without_an_error_when_the_reader_closes_the_pipe() {
    let mut demo = RunningProgram::start(&["demo", "--seconds", "3600"]);
    assert!(demo.line().await.is_some());
    assert_eq!(demo.close().await, 0);
}
