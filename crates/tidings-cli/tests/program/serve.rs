//! `tidings serve`: a server on a port for other programs, optionally with a workload and faults.

use serde_json::{Value, json};

use crate::process::{RunningProgram, run};

/// Starts the server and waits until it has written its kubeconfig.
async fn served(arguments: &[&str]) -> (RunningProgram, tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kubeconfig").to_str().expect("a path in text").to_owned();
    let serve = RunningProgram::start(&[&["serve", "--kubeconfig", &file], arguments].concat());
    while !std::fs::exists(&file).expect("the folder can be read") {
        tokio::task::yield_now().await;
    }
    (serve, folder, file)
}

#[tokio::test]
async fn the_kubeconfig_works_as_soon_as_it_exists() {
    for arguments in [&[][..], &["--plain"]] {
        let (mut serve, _folder, file) = served(arguments).await;
        let ended = run(&["get", "namespaces", "--kubeconfig", &file]).await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains("kube-system"), "{}", ended.stdout);
        serve.terminate().await;
        assert_eq!(serve.ended().await, 0);
    }
}

#[tokio::test]
async fn a_workload_runs_on_request() {
    let (_serve, _folder, file) = served(&["--seed-workload", "--plain"]).await;
    let mut watch = RunningProgram::start(&["watch", "pods", "-o", "json", "--kubeconfig", &file]);
    let mut seen = Vec::new();
    while !(seen.contains(&json!("add")) && seen.contains(&json!("update"))) {
        seen.push(watch.json().await["event"].take());
    }
}

#[tokio::test]
async fn faults_are_injected_on_request() {
    let (_serve, _folder, file) = served(&["--faults", "refuse-streaming-list=1000", "--plain"]).await;
    let ended =
        run(&["watch", "ns", "--kubeconfig", &file, "--until-synced", "--quiet", "--report", "json"]).await;
    let report: Value = serde_json::from_str(&ended.stdout).expect("one line of JSON");
    assert_eq!(
        (&report["list_mode"], &report["objects"]),
        (&json!("chunked"), &json!(4)),
        "{}",
        ended.stderr
    );
    let ended = run(&["serve", "--faults", "oops"]).await;
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("there is no fault"), "{}", ended.stderr);
}
