//! What comes with the program: help, completions, a manual page, the demo.

use crate::running::run;

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
async fn help_lists_the_exit_codes() {
    let ended = run(&["--help"]).await;
    assert!(ended.stdout.contains("Exit codes") && ended.stdout.contains("401 or 403"), "{}", ended.stdout);
}

#[tokio::test]
async fn the_demo_ends_by_itself_with_cache_and_server_in_agreement() {
    let ended = run(&["demo", "--seconds", "2"]).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    for mark in ["[ADD]", "[UPDATE]", "nothing lost"] {
        assert!(ended.stdout.contains(mark), "{mark} is missing in {}", ended.stdout);
    }
}
