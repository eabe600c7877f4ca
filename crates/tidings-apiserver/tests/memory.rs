//! The memory of a stored object: its JSON and at most 300 bytes.

#![cfg(target_os = "linux")]

use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_apiserver::HistoryLimits;

const OBJECTS: usize = 10_000;

fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = status.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

#[tokio::test]
async fn a_stored_object_costs_its_json_and_no_more_than_300_bytes() {
    // Without history, which has its own bound in bytes.
    let none = HistoryLimits::default().changes_max(0);
    let server = ApiServer::builder().history(none).start().await;
    let make = |number: usize| {
        json!({
            "metadata": {"name": format!("object-{number:08}"), "namespace": format!("namespace-{}", number % 50)},
            "data": {"text": "x".repeat(2000 + number % 100)},
        })
    };
    server.load("configmaps", 500, make);
    let (size, resident) = (server.size(), resident_bytes());
    server.load("configmaps", OBJECTS, make);
    let added = server.size().objects - size.objects;
    let json_bytes = server.size().body_bytes - size.body_bytes;
    let overhead = (resident_bytes() - resident).saturating_sub(json_bytes) / added;
    assert!(overhead <= 300, "{overhead} bytes per object besides its JSON");
    assert_eq!(server.size().changes, 0);
}
