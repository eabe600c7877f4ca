//! `tidings watch`: its output formats, how it ends, and its report.

use serde_json::{Value, json};
use tidings_apiserver::Fault;
use tidings_apiserver::Verb;

use crate::process::{RunningProgram, ServedApi, pod, run};

#[tokio::test]
async fn each_change_is_one_json_line_and_the_last_line_is_the_cache() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let mut watch = RunningProgram::start(&["watch", "po", "-A", "-o", "json", "--server", &served.url]);
    let first = watch.json().await;
    assert_eq!((&first["event"], &first["initial"]), (&json!("add"), &json!(true)), "{first}");
    assert_eq!((&first["namespace"], &first["name"]), (&json!("default"), &json!("web-0")), "{first}");

    served.put_pod("web-0", "node-1", "Running");
    let update = watch.json().await;
    assert_eq!((&update["event"], &update["uid"]), (&json!("update"), &first["uid"]), "{update}");
    assert_ne!(update["resourceVersion"], first["resourceVersion"]);
    assert_eq!(update.as_object().unwrap().len(), 7, "objects only with --full: {update}");

    served.put_pod("web-1", "node-1", "Running");
    assert_eq!(watch.json().await["initial"], json!(false));
    served.server.remove("pods", "default/web-1");
    let gone = watch.json().await;
    assert_eq!((&gone["event"], &gone["finalStateUnknown"]), (&json!("delete"), &json!(false)), "{gone}");

    watch.terminate().await;
    let cache = watch.json().await;
    assert_eq!(cache, json!({ "cache": { "default/web-0": update["resourceVersion"] } }));
    assert_eq!(watch.line().await, None);
    assert_eq!(watch.ended().await, 0);
}

#[tokio::test]
async fn a_json_line_has_its_fields_in_the_order_of_the_manual() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let ended = run(&["watch", "po", "-o", "json", "--until-synced", "--server", &served.url]).await;
    let fields = ["event", "namespace", "name", "uid", "resourceVersion", "initial", "finalStateUnknown"];
    let positions: Vec<_> = fields.iter().map(|field| ended.stdout.find(&format!("\"{field}\":"))).collect();
    assert!(positions.is_sorted() && positions.iter().all(Option::is_some), "{}", ended.stdout);
}

#[tokio::test]
async fn whole_objects_and_differences_are_printed_on_request() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let mut full = RunningProgram::start(&["watch", "pods", "-o", "json", "--full", "--server", &served.url]);
    let mut diff = RunningProgram::start(&["watch", "pods", "--diff", "--server", &served.url]);
    let added = full.json().await;
    assert_eq!((&added["object"]["status"]["phase"], &added["old"]), (&json!("Pending"), &Value::Null));
    assert_eq!(diff.line().await.unwrap(), "[ADD]     default/web-0  (initial)");
    served.put_pod("web-0", "node-1", "Running");
    let updated = full.json().await;
    assert_eq!(updated["object"]["status"]["phase"], json!("Running"));
    assert_eq!(updated["old"]["status"]["phase"], json!("Pending"));
    assert_eq!(diff.line().await.unwrap(), "[UPDATE]  default/web-0  status.phase Pending -> Running");
}

#[tokio::test]
async fn it_ends_after_the_first_list_with_a_report_for_scripts() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Running");
    let ended =
        run(&["watch", "pods", "--server", &served.url, "--until-synced", "--quiet", "--report", "json"])
            .await;
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&ended.stdout).expect("one line of JSON");
    assert_eq!(report["objects"], json!(1));
    assert_eq!((&report["list_mode"], &report["wire"]), (&json!("streaming"), &json!("protobuf")));
    assert_eq!((&report["events"], &report["relists"]), (&json!(0), &json!(0)));
    for figure in ["sync_seconds", "events_per_second", "resident_bytes", "packed_bytes", "decoded_bytes"] {
        assert!(report[figure].is_number(), "{figure}: {report}");
    }
}

#[tokio::test]
async fn it_ends_after_the_requested_number_of_updates() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let mut watch = RunningProgram::start(&[
        "watch",
        "pods",
        "-o",
        "name",
        "--until-events",
        "2",
        "--server",
        &served.url,
    ]);
    assert_eq!(watch.line().await.unwrap(), "pods/web-0");
    served.put_pod("web-1", "node-1", "Pending");
    assert_eq!(watch.line().await.unwrap(), "pods/web-1", "an addition is no update");
    for phase in ["Running", "Succeeded"] {
        served.put_pod("web-1", "node-1", phase);
        assert_eq!(watch.line().await.unwrap(), "pods/web-1");
    }
    assert_eq!(watch.line().await, None);
    assert_eq!(watch.ended().await, 0);
}

#[tokio::test]
async fn the_server_applies_selectors_and_namespaces() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Running");
    served.put_pod("web-1", "node-2", "Running");
    let mut other = pod("web-2", "node-1", "Running");
    other["metadata"]["namespace"] = json!("kube-system");
    other["metadata"]["labels"]["app"] = json!("dns");
    served.server.put("pods", other);
    for (arguments, names) in [
        (vec!["-A"], vec!["web-0", "web-1", "web-2"]),
        (vec![], vec!["web-0", "web-1"]),
        (vec!["-n", "kube-system"], vec!["web-2"]),
        (vec!["-n", "kube-system", "-n", "default"], vec!["web-0", "web-1", "web-2"]),
        (vec!["-A", "-l", "app=dns"], vec!["web-2"]),
        (vec!["-A", "--field-selector", "spec.nodeName=node-2"], vec!["web-1"]),
    ] {
        let command =
            [&["watch", "pods", "--until-synced", "-o", "name", "--server", &served.url], &*arguments]
                .concat();
        let ended = run(&command).await;
        let mut found: Vec<&str> =
            ended.stdout.lines().map(|line| line.trim_start_matches("pods/")).collect();
        found.sort_unstable();
        assert_eq!((ended.code, found), (0, names), "{arguments:?} {}", ended.stderr);
    }
}

#[tokio::test]
async fn a_closed_pipe_is_an_end_without_error() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Running");
    let mut watch = RunningProgram::start(&["watch", "pods", "--server", &served.url]);
    assert!(watch.line().await.is_some());
    // Nothing more is written: `tidings watch pods | head -1` on a resource that does not change.
    assert_eq!(watch.close().await, 0);
}

#[tokio::test]
async fn a_pipe_that_is_closed_before_the_first_line_is_an_end_without_error() {
    let served = ServedApi::start().await;
    served.server.faults().inject(Fault::Hang.always().on(Verb::Watch).of("pods"));
    for quiet in [&["--quiet"][..], &[]] {
        let watch = RunningProgram::start(&[&["watch", "pods", "--server", &served.url], quiet].concat());
        assert_eq!(watch.close().await, 0);
    }
}

/// Text that any user with write access to an object can send.
const HOSTILE: &str = "\x1b[2J\x1b]0;owned\x07\u{9b}31m\u{202e}\x7f\rgone";

/// Whether a terminal would execute the character. Line breaks are allowed.
fn is_terminal_control(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[tokio::test]
async fn control_characters_of_a_server_reach_no_terminal() {
    let served = ServedApi::start().await;
    let put = |text: &str| {
        let event = json!({
            "metadata": { "namespace": "default", "name": "e", "annotations": { "note": text } },
            "involvedObject": {}, "message": text, "reason": "Test", "type": "Normal",
        });
        served.server.put("events", event);
    };
    put(HOSTILE);
    let shown = "^[[2J^[]0;owned^G<U+009B>31m<U+202E>^?^Mgone";
    let table = run(&["get", "events", "--index", "message=.message", "--server", &served.url]).await;
    assert!(!table.stdout.contains(is_terminal_control) && table.stdout.contains(shown), "{table:?}");

    let yaml = run(&["get", "events", "-o", "yaml", "--server", &served.url]).await;
    assert!(!yaml.stdout.contains(is_terminal_control) && yaml.stdout.contains("gone"), "{yaml:?}");
    let exact = run(&["get", "events", "-o", "json", "--server", &served.url]).await;
    assert!(!exact.stdout.contains(is_terminal_control), "{exact:?}");
    let list: Value = serde_json::from_str(&exact.stdout).expect("it is JSON");
    assert_eq!(list["items"][0]["message"], HOSTILE, "JSON preserves the text exactly");

    let mut diff = RunningProgram::start(&["watch", "events", "--diff", "--server", &served.url]);
    let mut full =
        RunningProgram::start(&["watch", "events", "-o", "json", "--full", "--server", &served.url]);
    assert!(diff.line().await.is_some_and(|line| line.ends_with("(initial)")));
    full.json().await;
    put("plain");
    let line = diff.line().await.expect("it changed");
    assert!(
        !line.contains(is_terminal_control) && line.contains(&format!("message {shown} -> plain")),
        "{line:?}"
    );
    let line = full.line().await.expect("it changed");
    assert!(!line.contains(is_terminal_control), "{line:?}");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["old"]["message"], HOSTILE);
}
