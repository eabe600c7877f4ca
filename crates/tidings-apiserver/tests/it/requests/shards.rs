//! `shardSelector`: lists and watches of the objects whose hash is in a range. The conformance tests compare them with
//! the responses of a real server; here is what those can't show, because real uids are random.

use http::Method;
use serde_json::{Value, json};
use tidings_apiserver::{ApiServer, ShardSelectors};

use crate::requests::http_calls::{call, config_map, get, watch};

const MAPS: &str = "/api/v1/configmaps";
const LOW: &str = "shardRange(object.metadata.KEY,'0x0000000000000000','0x8000000000000000')";
const HIGH: &str = "shardRange(object.metadata.KEY,'0x8000000000000000','0x10000000000000000')";

async fn applying() -> ApiServer {
    ApiServer::builder().shard_selectors(ShardSelectors::Applied).start().await
}

fn keys(list: &Value) -> Vec<String> {
    let text = |item: &Value, field| item["metadata"][field].as_str().unwrap().to_owned();
    let items = list["items"].as_array().unwrap().iter();
    items.map(|item| format!("{}/{}", text(item, "namespace"), text(item, "name"))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_two_halves_of_the_hashes_have_each_object_once() {
    let server = applying().await;
    for number in 0..40 {
        server
            .put("configmaps", config_map(&format!("{}-namespace", number % 8), &format!("m{number}"), "1"));
    }
    let client = server.client();
    let all = keys(&get(&client, MAPS).await.json());
    for key in ["uid", "namespace"] {
        let mut both = Vec::new();
        for half in [LOW, HIGH] {
            let selector = half.replace("KEY", key);
            let list = get(&client, &format!("{MAPS}?shardSelector={selector}")).await.json();
            assert_eq!(list["metadata"]["shardInfo"]["selector"], selector.replace(',', ", "));
            let selected = keys(&list);
            assert!((1..40).contains(&selected.len()), "{key}: {selected:?}");
            // Pages of a shard have the same objects.
            let mut paged = Vec::new();
            let mut token = String::new();
            loop {
                let page = format!("{MAPS}?shardSelector={selector}&limit=3&continue={token}");
                let page = get(&client, &page).await.json();
                assert_eq!(page["metadata"]["remainingItemCount"], Value::Null);
                paged.extend(keys(&page));
                token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
                if token.is_empty() {
                    break;
                }
            }
            assert_eq!(paged, selected);
            both.extend(selected);
        }
        both.sort();
        let mut all = all.clone();
        all.sort();
        assert_eq!(both, all, "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_a_shard_sends_the_events_of_its_objects_alone() {
    let server = applying().await;
    let client = server.client();
    let from = server.version();
    let selector = LOW.replace("KEY", "uid");
    let path = format!("{MAPS}?watch=1&resourceVersion={from}&shardSelector={selector}");
    let mut events = watch(&client, &path).await;
    for number in 0..20 {
        server.put("configmaps", config_map("t", &format!("m{number}"), "1"));
    }
    let selected = keys(&get(&client, &format!("{MAPS}?shardSelector={selector}")).await.json());
    for number in 0..20 {
        server.remove("configmaps", &format!("t/m{number}"));
    }
    let mut seen: Vec<(String, String)> = Vec::new();
    for _ in 0..2 * selected.len() {
        let event = events.event().await;
        let name = event["object"]["metadata"]["name"].as_str().unwrap().to_owned();
        seen.push((event["type"].as_str().unwrap().to_owned(), format!("t/{name}")));
    }
    for change in ["ADDED", "DELETED"] {
        let mut names: Vec<_> =
            seen.iter().filter(|(kind, _)| kind == change).map(|(_, name)| name).collect();
        names.sort();
        assert_eq!(names, selected.iter().collect::<Vec<_>>(), "{change}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_in_protobuf_reports_its_shard() {
    let server = applying().await;
    let selector = HIGH.replace("KEY", "namespace");
    let path = format!("{MAPS}?shardSelector={selector}");
    let accept = "application/vnd.kubernetes.protobuf";
    let list = call(Method::GET, &path).header("accept", accept).send(&server.client()).await;
    let reported = selector.replace(',', ", ");
    assert!(list.body.windows(reported.len()).any(|part| part == reported.as_bytes()), "{:?}", list.body);
}

#[tokio::test(start_paused = true)]
async fn a_server_ignores_shards_unless_it_is_set_to_apply_them() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("t", "m", "1"));
    let list = get(&server.client(), &format!("{MAPS}?shardSelector=nonsense")).await.json();
    assert_eq!((keys(&list), &list["metadata"]["shardInfo"]), (vec!["t/m".to_owned()], &json!(null)));
    let server = applying().await;
    assert_eq!(get(&server.client(), &format!("{MAPS}?shardSelector=nonsense")).await.code, 500);
}
