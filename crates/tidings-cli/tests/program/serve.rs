//! `tidings serve`: a server on a port for other programs, optionally with a workload and faults.

use k8s_openapi::api::apps::v1::Deployment;
use kube_client::api::PostParams;
use kube_client::config::Kubeconfig;
use serde_json::{Value, json};
use tidings::controller::{Condition, await_condition_on};

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
async fn stand_ins_run_on_request() {
    let (_serve, folder, file) = served(&["--with", "deployments,jobs,gc,kubelet", "--plain"]).await;
    let client = client_of(&file).await;
    let deployments: kube_client::Api<Deployment> = kube_client::Api::default_namespaced(client.clone());
    let web = json!({
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": "i" }] },
            },
        },
    });
    let web = serde_json::from_value(web).expect("a deployment");
    deployments.create(&PostParams::default(), &web).await.expect("it is created");
    let key = tidings::Key::parse("default/web").expect("a key");
    let within = std::time::Duration::from_secs(60);
    await_condition_on(&client, &key, &Condition::<Deployment>::is_complete(), within)
        .await
        .expect("it is ready");
    drop(folder);

    let ended = run(&["serve", "--with", "gc,cats"]).await;
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("no stand-in is called \"cats\""), "{}", ended.stderr);
    let ended = run(&["serve", "--with", "all", "--kubelet", "sleep=1s"]).await;
    assert!(ended.stderr.contains("\"sleep=1s\" is not one of start-after=5s"), "{}", ended.stderr);
}

async fn client_of(kubeconfig: &str) -> kube_client::Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("the server wrote it");
    let config = kube_client::Config::from_custom_kubeconfig(kubeconfig, &Default::default()).await;
    tidings::client_from_config(config.expect("it is complete")).expect("it makes a client")
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

#[tokio::test]
async fn the_server_starts_with_a_state_and_reports_that_it_is_ready() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in text").to_owned();
    let state = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n\
                 {apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: a}, data: {k: v}}\n";
    std::fs::write(path("state.yaml"), state).expect("the folder is writable");
    let ready = path("ready");
    let arguments = ["--state", &path("state.yaml"), "--ready-file", &ready, "--plain"];
    let (_serve, _folder, file) = served(&arguments).await;
    while !std::fs::exists(&ready).expect("the folder can be read") {
        tokio::task::yield_now().await;
    }
    assert!(std::fs::read_to_string(&ready).expect("the file is readable").starts_with("http://127.0.0.1:"));
    let ended = run(&["get", "configmaps", "-n", "a", "--kubeconfig", &file]).await;
    assert!(ended.stdout.contains("kube-root-ca.crt") && ended.stdout.contains('m'), "{}", ended.stdout);

    std::fs::write(path("state.yaml"), "{apiVersion: v1, kind: Nothing, metadata: {name: a}}")
        .expect("writable");
    let ended = run(&["serve", "--state", &path("state.yaml")]).await;
    assert_eq!(ended.code, 1);
    assert!(ended.stderr.contains("the server has no kind \"Nothing\""), "{}", ended.stderr);
}

#[cfg(unix)]
#[tokio::test]
async fn the_server_ends_with_its_parent() {
    let folder = tempfile::tempdir().expect("a folder");
    let ready = folder.path().join("ready");
    let program = env!("CARGO_BIN_EXE_tidings");
    // The shell prints the id of the server, waits until it is ready, and ends.
    let script = format!(
        "{program} serve --plain --exit-with-parent --kubeconfig {0}.config --ready-file {0} >/dev/null 2>&1 & \
         echo $!; while [ ! -e {0} ]; do sleep 0.05; done",
        ready.display()
    );
    let shell = tokio::process::Command::new("sh").arg("-c").arg(script).output().await.expect("sh runs");
    let id = String::from_utf8(shell.stdout).expect("a number").trim().to_owned();
    let alive = || async {
        let checked = tokio::process::Command::new("kill").args(["-0", &id]).output().await;
        checked.expect("kill runs").status.success()
    };
    while alive().await {
        tokio::task::yield_now().await;
    }
}
