//! `tidings get`: lists once and queries by indexes.

use serde_json::{Value, json};

use crate::process::{ServedApi, run};

#[tokio::test]
async fn objects_are_found_by_several_indexes_at_once() {
    let served = ServedApi::start().await;
    for (name, node, phase) in
        [("web-0", "node-1", "Running"), ("web-1", "node-1", "Pending"), ("web-2", "node-2", "Running")]
    {
        served.put_pod(name, node, phase);
    }
    let indexes = ["--index", "node=.spec.nodeName", "--index", "phase=.status.phase"];
    let by = ["--by", "node=node-1", "--by", "phase=Running"];
    let ended =
        run(&[&["get", "pods", "--server", &served.url, "-o", "json"], &indexes[..], &by[..]].concat()).await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let list: Value = serde_json::from_str(&ended.stdout).expect("a list in JSON");
    let names: Vec<&Value> =
        list["items"].as_array().unwrap().iter().map(|pod| &pod["metadata"]["name"]).collect();
    assert_eq!(names, [&json!("web-0")]);
}

#[tokio::test]
async fn a_table_has_a_line_for_each_object() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Running");
    let ended = run(&["get", "po", "--server", &served.url]).await;
    let lines: Vec<Vec<&str>> = ended.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["NAMESPACE", "NAME", "VERSION"]);
    assert_eq!(lines[1][..2], ["default", "web-0"]);
    assert_eq!(lines.len(), 2);
}

#[tokio::test]
async fn the_requested_indexes_are_columns() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Running");
    let arguments =
        ["get", "po", "--index", "node=.spec.nodeName", "--index", "image=.spec.containers[*].image"];
    let ended = run(&[&arguments[..], &["--server", &served.url]].concat()).await;
    let lines: Vec<Vec<&str>> = ended.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines[0][3..], ["NODE", "IMAGE"], "{ended:?}");
    assert_eq!(lines[1][3..], ["node-1", "nginx"], "{ended:?}");
}

#[tokio::test]
async fn the_data_of_a_secret_is_never_shown() {
    let served = ServedApi::start().await;
    served.server.put(
        "secrets",
        json!({
            "metadata": {
                "namespace": "default", "name": "db",
                "annotations": {
                    "kubectl.kubernetes.io/last-applied-configuration": "{\"data\":\"hunter2\"}",
                    "kapp.k14s.io/original": "{\"data\":\"hunter2\"}",
                },
            },
            "data": { "password": "aHVudGVyMg==" },
        }),
    );
    for form in [
        &["get", "secrets", "-o", "json"][..],
        &["get", "secrets", "-o", "yaml"],
        &["watch", "secrets", "--until-synced", "-o", "yaml"],
        &["watch", "secrets", "--until-synced", "-o", "json", "--full"],
    ] {
        let ended = run(&[form, &["--server", &served.url]].concat()).await;
        assert!(ended.stdout.contains("password"), "{form:?} {ended:?}");
        for word in ["hunter2", "aHVudGVyMg"] {
            assert!(!ended.stdout.contains(word) && !ended.stderr.contains(word), "{form:?} {ended:?}");
        }
    }
}
