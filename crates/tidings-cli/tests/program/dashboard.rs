//! `tidings dashboard`: access control, the HTTP API, and its end. The page itself is tested in a browser.

use serde_json::{Value, json};

use crate::bad_input::check;
use crate::http_client::{Samples, get};
use crate::process::{RunningProgram, ServedApi, run};

/// A running dashboard.
struct Dashboard {
    running: RunningProgram,
    address: String,
    /// The printed URL.
    url: String,
}

impl Dashboard {
    async fn start(arguments: &[&str]) -> Dashboard {
        Dashboard::start_with(arguments, &[]).await
    }

    async fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Dashboard {
        let mut running = RunningProgram::start_with(&[&["dashboard"], arguments].concat(), variables);
        let url = running.line().await.expect("it prints its address");
        let address = url.strip_prefix("http://").and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address: {url}")).to_owned();
        Dashboard { running, address, url }
    }

    async fn json(&self, path: &str) -> Value {
        let answer = get(&self.address, path, &[]).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }

    /// Waits until the cache has this many objects.
    async fn has(&self, objects: u64) {
        let is_there = |sample: &Value| sample["diagnostics"]["informers"][0]["objects"] == json!(objects);
        Samples::of(&self.address).await.until("all objects are cached", is_there).await;
    }

    async fn end(mut self) {
        self.running.terminate().await;
        assert_eq!(self.running.ended().await, 0);
    }
}

fn names(answer: &Value) -> Vec<&str> {
    let objects = answer["objects"].as_array().expect("there is a list");
    objects.iter().map(|object| object["name"].as_str().expect("it has a name")).collect()
}

#[tokio::test]
async fn the_page_is_inside_the_binary_and_runs_no_script_of_others() {
    let served = ServedApi::start().await;
    let dashboard = Dashboard::start(&["pods", "--server", &served.url]).await;
    let page = get(&dashboard.address, "/", &[]).await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{policy}");
    assert!(!policy.contains("unsafe") && policy.contains("require-trusted-types-for"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert!(!page.text.contains("://"), "nothing is loaded from another host");
    for part in page.text.split(['"', '\'']).filter(|part| part.starts_with('/')) {
        assert_eq!(get(&dashboard.address, part, &[]).await.status, 200, "{part}");
    }
    assert_eq!(get(&dashboard.address, "/nothing", &[]).await.status, 404);
    dashboard.end().await;
}

#[tokio::test]
async fn each_sample_has_statistics_and_the_notifications_since_the_last() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let dashboard = Dashboard::start(&["pods", "--server", &served.url]).await;
    let mut samples = Samples::of(&dashboard.address).await;
    let is_synced = |sample: &Value| sample["diagnostics"]["informers"][0]["isSynced"] == json!(true);
    let first = samples.until("the informer is synced", is_synced).await;
    assert_eq!(first["diagnostics"]["informers"][0]["resource"], json!("pods"));
    assert_eq!(first["notifications"], json!([]), "initial objects are not notifications");

    served.put_pod("web-0", "node-1", "Running");
    let has_notifications = |sample: &Value| sample["notifications"] != json!([]);
    let sample = samples.until("the update is reported", has_notifications).await;
    let update = json!({
        "event": "update", "resource": "pods", "key": "default/web-0",
        "changes": ["status.phase Pending -> Running"],
    });
    assert_eq!(sample["notifications"], json!([update]));
    assert_eq!(samples.next().await.unwrap()["notifications"], json!([]), "each is reported once");

    // A page that is opened later receives earlier samples.
    let state = dashboard.json("/api/state").await;
    let earlier = state["samples"].as_array().unwrap();
    assert!(earlier.iter().any(|sample| sample["notifications"] == json!([update])), "{state}");
    assert_eq!(state["contents"][0]["indexes"], json!(["namespace", "node", "phase"]), "{state}");
    dashboard.end().await;
}

#[tokio::test]
async fn objects_are_found_by_search_and_index_within_a_limit() {
    let served = ServedApi::start().await;
    for (name, node) in [("web-0", "node-1"), ("web-1", "node-2"), ("db-0", "node-1")] {
        served.put_pod(name, node, "Running");
    }
    let dashboard =
        Dashboard::start(&["po", "--index", "app=.metadata.labels.app", "--server", &served.url]).await;
    dashboard.has(3).await;
    for (query, found, matched) in [
        ("", vec!["db-0", "web-0", "web-1"], 3),
        ("&q=WEB-", vec!["web-0", "web-1"], 2),
        ("&q=app%3Dweb", vec!["db-0", "web-0", "web-1"], 3),
        ("&index=node&value=node-1", vec!["db-0", "web-0"], 2),
        ("&index=node&value=node-1&q=db", vec!["db-0"], 1),
        ("&index=node", vec!["db-0", "web-0", "web-1"], 3),
        ("&index=app&value=none", vec![], 0),
        ("&limit=2", vec!["db-0", "web-0"], 3),
    ] {
        let answer = dashboard.json(&format!("/api/objects?resource=pods{query}")).await;
        assert_eq!((names(&answer), &answer["matched"]), (found, &json!(matched)), "{query}: {answer}");
        assert_eq!(answer["total"], json!(3));
    }
    let nodes = dashboard.json("/api/objects?resource=pods&index=node").await;
    assert_eq!(nodes["values"], json!(["node-1", "node-2"]));
    for (path, status) in [
        ("/api/objects?resource=secrets", 404),
        ("/api/objects", 400),
        ("/api/objects?resource=pods&limit=0", 400),
        ("/api/objects?resource=pods&limit=1001", 400),
        ("/api/objects?resource=pods&limit=-1", 400),
        ("/api/objects?resource=pods&index=none&value=1", 400),
        (&format!("/api/objects?resource=pods&q={}", "a".repeat(257)), 400),
        ("/api/object?resource=pods&key=default%2Fweb-9", 404),
        ("/api/object?resource=pods&key=%2F%2F%2F", 404),
    ] {
        assert_eq!(get(&dashboard.address, path, &[]).await.status, status, "{path}");
    }
    dashboard.end().await;
}

#[tokio::test]
async fn an_object_is_shown_with_its_last_change() {
    let served = ServedApi::start().await;
    served.put_pod("web-0", "node-1", "Pending");
    let dashboard = Dashboard::start(&["pods", "--server", &served.url]).await;
    dashboard.has(1).await;
    let path = "/api/object?resource=pods&key=default%2Fweb-0";
    let object = dashboard.json(path).await;
    assert!(object["yaml"].as_str().unwrap().contains("phase: Pending"), "{object}");
    assert_eq!(object["change"], Value::Null, "{object}");

    let mut samples = Samples::of(&dashboard.address).await;
    for phase in ["Running", "Succeeded"] {
        served.put_pod("web-0", "node-1", phase);
        samples.until("it is reported", |sample| sample["notifications"] != json!([])).await;
    }
    let object = dashboard.json(path).await;
    assert!(object["yaml"].as_str().unwrap().contains("phase: Succeeded"), "{object}");
    let field = json!({ "path": "status.phase", "old": "Running", "new": "Succeeded" });
    assert_eq!(object["change"]["fields"], json!([field]), "{object}");
    dashboard.end().await;
}

#[tokio::test]
async fn no_value_of_a_secret_reaches_the_page() {
    let served = ServedApi::start().await;
    let secret = |password: &str| {
        json!({
            "metadata": { "namespace": "default", "name": "login" }, "data": { "password": password },
        })
    };
    served.server.put("secrets", secret("aHVudGVyMg=="));
    let dashboard =
        Dashboard::start(&["secrets", "--index", "leak=.data.password", "--server", &served.url]).await;
    dashboard.has(1).await;
    let mut samples = Samples::of(&dashboard.address).await;
    served.server.put("secrets", secret("aHVudGVyMjM0NQ=="));
    let sample =
        samples.until("it is reported", |sample| sample["notifications"] != json!([])).await.to_string();
    let mut shown = vec![sample];
    for path in [
        "/api/object?resource=secrets&key=default%2Flogin",
        "/api/objects?resource=secrets",
        "/api/objects?resource=secrets&index=leak",
        "/api/state",
    ] {
        shown.push(get(&dashboard.address, path, &[]).await.text);
    }
    assert!(shown[1].contains("data.password") && shown[1].contains("redacted"), "{}", shown[1]);
    for text in shown {
        assert!(!text.contains("aHVudGVy") && !text.contains("hunter2"), "{text}");
    }
    dashboard.end().await;
}

#[tokio::test]
async fn on_loopback_only_loopback_names_are_answered() {
    let served = ServedApi::start().await;
    let dashboard = Dashboard::start(&["pods", "--server", &served.url]).await;
    for (host, status) in [
        ("localhost:1234", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("192.168.0.1", 403),
    ] {
        for path in ["/", "/api/state", "/api/objects?resource=pods"] {
            let answer = get(&dashboard.address, path, &[("host", host)]).await;
            assert_eq!(answer.status, status, "{host} {path}");
        }
    }
    dashboard.end().await;
}

#[tokio::test]
async fn on_other_addresses_every_request_needs_the_token() {
    let served = ServedApi::start().await;
    let dashboard = Dashboard::start(&["pods", "--listen", "0.0.0.0:0", "--server", &served.url]).await;
    let token = dashboard.url.split_once("/?token=").expect("the token is printed").1.to_owned();
    assert_eq!(token.len(), 64);
    let wrong = token.chars().rev().collect::<String>();
    for path in ["/", "/app.js", "/events", "/api/state", "/api/objects?resource=pods", "/nothing"] {
        assert_eq!(get(&dashboard.address, path, &[]).await.status, 401, "{path}");
        let bearer = format!("Bearer {wrong}");
        assert_eq!(get(&dashboard.address, path, &[("authorization", &bearer)]).await.status, 401, "{path}");
    }
    assert_eq!(get(&dashboard.address, &format!("/?token={wrong}"), &[]).await.status, 401);
    assert_eq!(get(&dashboard.address, &format!("/api/state?token={token}"), &[]).await.status, 401);

    let redirect = get(&dashboard.address, &format!("/?token={token}"), &[]).await;
    assert_eq!((redirect.status, redirect.header("location")), (303, "/"));
    let (cookie, rules) = redirect.header("set-cookie").split_once("; ").expect("a cookie with rules");
    assert_eq!(rules, "Path=/; HttpOnly; SameSite=Strict");
    let cookies = format!("other=1; {cookie}");
    assert_eq!(get(&dashboard.address, "/api/state", &[("cookie", &cookies)]).await.status, 200);
    let bearer = format!("Bearer {token}");
    let elsewhere = [("authorization", bearer.as_str()), ("host", "any.example")];
    assert_eq!(get(&dashboard.address, "/api/state", &elsewhere).await.status, 200);
    dashboard.end().await;
}

#[tokio::test]
async fn a_given_token_is_required_and_never_printed() {
    let served = ServedApi::start().await;
    let token = "correct-horse-battery-staple";
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("token");
    std::fs::write(&file, format!("{token}\n")).expect("it can be written");
    let file = file.to_str().expect("its path is text");
    let variable = ("TIDINGS_DASHBOARD_TOKEN", token);
    // The file has precedence over the variable.
    let other = ("TIDINGS_DASHBOARD_TOKEN", "something-else-entirely");
    for (arguments, variables) in [(&["--token-file", file][..], &[other]), (&[], &[variable])] {
        let arguments = [&["pods", "--server", &served.url], arguments].concat();
        let dashboard = Dashboard::start_with(&arguments, variables).await;
        assert!(!dashboard.url.contains(token), "{}", dashboard.url);
        let seen = dashboard.running.command_line();
        assert!(seen.contains("dashboard") && !seen.contains(token), "{seen}");
        assert_eq!(get(&dashboard.address, "/", &[]).await.status, 401);
        let bearer = format!("Bearer {token}");
        assert_eq!(get(&dashboard.address, "/", &[("authorization", &bearer)]).await.status, 200);
        dashboard.end().await;
    }
    std::fs::write(file, "hunter2").expect("it can be written");
    let ended = run(&["dashboard", "--token-file", file, "--server", &served.url]).await;
    check(&ended, 2, &["--token-file", "16 to 256"]);
    assert!(!ended.stderr.contains("hunter2"));
    let missing = format!("{file}-of-yesterday");
    check(
        &run(&["dashboard", "--token-file", &missing]).await,
        2,
        &["--token-file", "write a token into it"],
    );
}

#[tokio::test]
async fn readers_that_leave_or_never_read_do_not_delay_others() {
    let served = ServedApi::start().await;
    let dashboard = Dashboard::start(&["pods", "--server", &served.url]).await;
    let idle = Samples::of(&dashboard.address).await;
    for _ in 0..20 {
        drop(Samples::of(&dashboard.address).await);
    }
    let mut reader = Samples::of(&dashboard.address).await;
    served.put_pod("web-0", "node-1", "Running");
    let is_there = |sample: &Value| sample["diagnostics"]["informers"][0]["objects"] == json!(1);
    reader.until("the pod is cached", is_there).await;
    // Open streams do not prevent the end.
    dashboard.end().await;
    assert_eq!(reader.next().await, None);
    drop(idle);
}

#[tokio::test]
async fn the_demo_needs_no_cluster_and_has_a_queue_and_a_graph() {
    let dashboard = Dashboard::start(&["--demo"]).await;
    let mut samples = Samples::of(&dashboard.address).await;
    let is_busy = |sample: &Value| {
        let informers = sample["diagnostics"]["informers"].as_array().expect("there are informers");
        informers.len() == 3 && informers.iter().all(|informer| informer["objects"].as_u64() > Some(0))
    };
    let sample = samples.until("every kind has objects", is_busy).await;
    assert_eq!(sample["diagnostics"]["queues"][0]["name"], json!("replicas"), "{sample}");
    let has_load = |sample: &Value| {
        let load = &sample["diagnostics"]["graphs"][0]["collections"][3];
        load["name"] == json!("load") && load["values"].as_u64() > Some(0)
    };
    let sample = samples.until("a collection has values", has_load).await;
    let placed = &sample["diagnostics"]["graphs"][0]["collections"][2];
    let reads = json!([{ "collection": "pods", "parts": [".spec.nodeName", ".status.phase"] }]);
    assert_eq!((&placed["name"], &placed["reads"]), (&json!("placed"), &reads), "{sample}");
    dashboard.end().await;
}

#[tokio::test]
async fn the_demo_shows_for_a_deployment_which_changes_requested_its_reconciles_and_what_they_wrote() {
    let dashboard = Dashboard::start(&["--demo"]).await;
    let has_written = |object: &Value| {
        let reconciles = object["controllers"][0]["reconciles"].as_array().cloned().unwrap_or_default();
        reconciles.iter().any(|reconcile| {
            let requested = reconcile["writes"][0]["requested"].as_array();
            !reconcile["causes"][0]["reason"].is_null() && requested.is_some_and(|ids| !ids.is_empty())
        })
    };
    let mut samples = Samples::of(&dashboard.address).await;
    loop {
        let deployments = dashboard.json("/api/objects?resource=deployments.apps").await;
        for name in names(&deployments) {
            let path = format!("/api/object?resource=deployments.apps&key=default%2F{name}");
            let object = get(&dashboard.address, &path, &[]).await;
            if object.status == 200 && has_written(&object.json()) {
                let sample = samples.until("a sample", |sample| !sample["diagnostics"].is_null()).await;
                assert_eq!(sample["diagnostics"]["controllers"][0]["name"], json!("replicas"));
                return dashboard.end().await;
            }
        }
        samples.next().await.expect("the demo goes on");
    }
}

#[tokio::test]
async fn the_demo_breaks_its_watches_now_and_then() {
    let dashboard = Dashboard::start(&["--demo"]).await;
    let has_met_faults = |sample: &Value| {
        let informers = sample["diagnostics"]["informers"].as_array().expect("there are informers");
        informers.iter().all(|informer| informer["faults"]["source"].as_u64() > Some(0))
    };
    Samples::of(&dashboard.address).await.until("every watch has been broken", has_met_faults).await;
    dashboard.end().await;
}

#[tokio::test]
async fn an_address_without_a_port_takes_a_free_one_and_needs_the_token() {
    let dashboard = Dashboard::start(&["--demo", "--listen", "0.0.0.0"]).await;
    assert!(dashboard.url.contains("/?token="), "{}", dashboard.url);
    assert_eq!(get(&dashboard.address, "/", &[]).await.status, 401);
    dashboard.end().await;
}

#[tokio::test]
async fn an_error_at_the_start_is_one_line() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    check(&run(&["dashboard", "--demo", "--listen", &address]).await, 1, &[&address, "in use"]);
    let served = ServedApi::start().await;
    check(&run(&["dashboard", "gadgets", "--server", &served.url]).await, 5, &["\"gadgets\""]);
    check(&run(&["dashboard", "--index", "node", "--server", &served.url]).await, 2, &["--index \"node\""]);
    check(&run(&["dashboard"]).await, 3, &["no cluster is configured"]);
}
