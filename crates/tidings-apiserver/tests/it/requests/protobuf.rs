//! Responses in protobuf have the same content as in JSON.

use bytes::{Buf, Bytes};
use http::Method;
use http_body_util::BodyExt;
use kube_client::Client;
use serde_json::{Value, json};
use tidings_apiserver::ProtobufResponses;
use tidings_apiserver::{ApiServer, EventFault, Fault};
use tidings_protobuf::wire::{FieldReader, Value as Field};
use tidings_protobuf::{TypeMeta, message, to_json};

use crate::requests::custom_resources::{DEFINITIONS, definition};
use crate::requests::http_calls::{HttpAnswer, WatchEvents, call, config_map, get, pod, post};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const BOTH: &str = "application/vnd.kubernetes.protobuf, application/json";
const MAPS: &str = "/api/v1/configmaps";

async fn get_as(client: &Client, path: &str, accept: &str) -> HttpAnswer {
    call(Method::GET, path).header("accept", accept).send(client).await
}

fn media_type(answer: &HttpAnswer) -> &str {
    answer.headers["content-type"].to_str().unwrap()
}

/// The bytes of each field with this number.
fn fields(message: &[u8], wanted: u32) -> Vec<Vec<u8>> {
    let mut reader = FieldReader::new(message);
    let mut found = Vec::new();
    while let Some((number, value)) = reader.next().unwrap() {
        match value {
            Field::Bytes(bytes) if number == wanted => found.push(bytes.to_vec()),
            _ => {}
        }
    }
    found
}

fn text(message: &[u8], number: u32) -> String {
    String::from_utf8(fields(message, number).remove(0)).unwrap()
}

/// The apiVersion, the kind and the message of an answer.
fn envelope(answer: &[u8]) -> (String, String, Vec<u8>) {
    let unknown = answer.strip_prefix(b"k8s\0").expect("the body begins with the magic number");
    let meta = fields(unknown, 1).remove(0);
    (text(&meta, 1), text(&meta, 2), fields(unknown, 2).remove(0))
}

fn decoded(group: &str, kind: &str, object: &[u8]) -> Value {
    let message = message(group, "v1", kind).unwrap();
    serde_json::from_slice(&to_json(message, TypeMeta::default(), object).unwrap()).unwrap()
}

/// The type of the next event, the kind of its object, and the message of the object.
async fn event(body: &mut kube_client::client::Body, read: &mut Vec<u8>) -> (String, String, Vec<u8>) {
    loop {
        if let Some((length, rest)) = read.split_first_chunk::<4>()
            && rest.len() >= u32::from_be_bytes(*length) as usize
        {
            let frame: Vec<u8> = read.drain(..4 + u32::from_be_bytes(*length) as usize).skip(4).collect();
            let (_, kind, object) = envelope(&fields(&fields(&frame, 2)[0], 1)[0]);
            return (text(&frame, 1), kind, object);
        }
        let frame = body.frame().await.expect("the watch continues").unwrap();
        let mut data: Bytes = frame.into_data().unwrap();
        while data.has_remaining() {
            read.push(data.get_u8());
        }
    }
}

#[tokio::test]
async fn lists_and_objects_have_the_same_content_as_in_json() {
    for responses in [ProtobufResponses::OnDemand, ProtobufResponses::Kept] {
        let server = ApiServer::builder().protobuf(responses).start().await;
        server.load("configmaps", 3, |number| config_map("a", &format!("m{number}"), "1"));
        // Twice: the second response comes from the cache, if the server keeps one.
        for _ in 0..2 {
            let list = get_as(&server.client(), &format!("{MAPS}?limit=2"), BOTH).await;
            assert_eq!(media_type(&list), PROTOBUF);
            let (api_version, kind, raw) = envelope(&list.body);
            assert_eq!((&*api_version, &*kind), ("v1", "ConfigMapList"));
            let in_json = get(&server.client(), &format!("{MAPS}?limit=2")).await.json();
            let items: Vec<_> = fields(&raw, 2).iter().map(|item| decoded("", "ConfigMap", item)).collect();
            assert_eq!(json!(items), in_json["items"]);
            let meta = fields(&raw, 1).remove(0);
            assert_eq!(json!(text(&meta, 2)), in_json["metadata"]["resourceVersion"]);
            assert_eq!(json!(text(&meta, 3)), in_json["metadata"]["continue"]);

            let one = get_as(&server.client(), "/api/v1/namespaces/a/configmaps/m1", PROTOBUF).await;
            let (_, kind, raw) = envelope(&one.body);
            assert_eq!((kind, decoded("", "ConfigMap", &raw)), ("ConfigMap".to_owned(), json!(items[1])));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_sends_objects_bookmarks_and_errors() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("a", "one", "1"));
    let path = format!(
        "{MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    );
    let response = call(Method::GET, &path).header("accept", BOTH).open(&server.client()).await;
    assert_eq!(response.headers()["content-type"], "application/vnd.kubernetes.protobuf;stream=watch");
    let (mut body, mut read) = (response.into_body(), Vec::new());
    let (event_type, kind, object) = event(&mut body, &mut read).await;
    assert_eq!((&*event_type, &*kind), ("ADDED", "ConfigMap"));
    assert_eq!(decoded("", "ConfigMap", &object)["data"]["value"], "1");
    let (event_type, _, object) = event(&mut body, &mut read).await;
    assert_eq!(event_type, "BOOKMARK");
    let metadata = &decoded("", "ConfigMap", &object)["metadata"];
    assert_eq!(metadata["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!(metadata["resourceVersion"], server.version().to_string());
    server.remove("configmaps", "a/one");
    let (event_type, _, object) = event(&mut body, &mut read).await;
    assert_eq!(event_type, "DELETED");
    let metadata = &decoded("", "ConfigMap", &object)["metadata"];
    assert_eq!(metadata["resourceVersion"], server.version().to_string());

    server.expire_history();
    let path = format!("{MAPS}?watch=1&resourceVersion=1");
    let response = call(Method::GET, &path).header("accept", BOTH).open(&server.client()).await;
    let (mut body, mut read) = (response.into_body(), Vec::new());
    let (event_type, kind, status) = event(&mut body, &mut read).await;
    assert_eq!((&*event_type, &*kind), ("ERROR", "Status"));
    assert_eq!(decoded("", "Status", &status)["code"], 410);
}

#[tokio::test]
async fn a_watch_with_more_initial_bytes_than_the_buffer_sends_each_selected_object_once() {
    let server = ApiServer::start().await;
    let heavy = "x".repeat(1 << 20);
    server.load("configmaps", 12, |at| {
        let mut map = config_map("a", &format!("m{at:02}"), if at % 3 == 0 { "other" } else { "wanted" });
        map["data"]["heavy"] = json!(heavy);
        map
    });
    let path = format!(
        "{MAPS}?watch=1&labelSelector=value=wanted&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
         &allowWatchBookmarks=true"
    );
    let response = call(Method::GET, &path).header("accept", BOTH).open(&server.client()).await;
    let (mut body, mut read) = (response.into_body(), Vec::new());
    for name in ["m01", "m02", "m04", "m05", "m07", "m08", "m10", "m11"] {
        let (event_type, _, object) = event(&mut body, &mut read).await;
        let object = decoded("", "ConfigMap", &object);
        assert_eq!((&*event_type, &object["metadata"]["name"]), ("ADDED", &json!(name)));
        assert_eq!(object["data"]["heavy"].as_str().map(str::len), Some(1 << 20));
    }
    assert_eq!(event(&mut body, &mut read).await.0, "BOOKMARK");
}

#[tokio::test]
async fn metadata_of_every_kind_and_whole_objects_of_built_in_kinds_are_available() {
    let server = ApiServer::start().await;
    server.put("pods", pod("a", "p"));
    let partial = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let list = get_as(&server.client(), "/api/v1/pods", partial).await;
    let (api_version, kind, raw) = envelope(&list.body);
    assert_eq!((&*api_version, &*kind), ("meta.k8s.io/v1", "PartialObjectMetadataList"));
    let item = decoded("meta.k8s.io", "PartialObjectMetadata", &fields(&raw, 2)[0]);
    assert_eq!((&item["metadata"]["name"], item.get("spec")), (&json!("p"), None));

    post(&server.client(), DEFINITIONS, &definition()).await;
    for (accept, code) in [(BOTH, 200), (PROTOBUF, 406), (partial, 200)] {
        let answer = get_as(&server.client(), "/apis/example.com/v1/widgets", accept).await;
        assert_eq!(answer.code, code, "{accept}");
    }
    let refusing = ApiServer::builder().protobuf(ProtobufResponses::Refused).start().await;
    let answer = get_as(&refusing.client(), MAPS, BOTH).await;
    assert_eq!((answer.code, media_type(&answer)), (200, "application/json"));
    assert_eq!(
        get_as(&refusing.client(), MAPS, PROTOBUF).await.code_and_reason(),
        (406, "NotAcceptable".to_owned())
    );
}

/// A ConfigMap that can't be encoded as protobuf: its data has a number.
fn unfit(name: &str) -> Value {
    json!({"metadata": {"namespace": "a", "name": name}, "data": {"value": 1}})
}

#[tokio::test]
async fn an_object_that_can_not_be_encoded_as_protobuf_is_sent_as_json_if_accepted() {
    for responses in [ProtobufResponses::OnDemand, ProtobufResponses::Kept] {
        let server = ApiServer::builder().protobuf(responses).start().await;
        let client = server.client();
        server.put("configmaps", config_map("a", "fit", "1"));
        server.put("configmaps", unfit("unfit"));
        for (path, code, kind) in [
            ("/api/v1/namespaces/a/configmaps/unfit", 500, "application/json"),
            ("/api/v1/namespaces/a/configmaps/fit", 200, PROTOBUF),
            (MAPS, 500, "application/json"),
            ("/api/v1/configmaps?fieldSelector=metadata.name=fit", 200, PROTOBUF),
        ] {
            assert_eq!(get_as(&client, path, PROTOBUF).await.code, code, "{path}");
            let answer = get_as(&client, path, BOTH).await;
            assert_eq!((answer.code, media_type(&answer)), (200, kind), "{path}");
            if kind == "application/json" {
                assert_eq!(answer.json(), get(&client, path).await.json(), "{path}");
            }
        }
        let path = format!("{MAPS}?watch=1");
        let response = call(Method::GET, &path).header("accept", BOTH).open(&client).await;
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(WatchEvents::of(response).types_and_names(2).await, ["ADDED fit", "ADDED unfit"]);
        let response =
            call(Method::GET, &format!("{path}&fieldSelector=metadata.name=fit")).header("accept", BOTH);
        let media_type = response.open(&client).await.headers()["content-type"].clone();
        assert_eq!(media_type, "application/vnd.kubernetes.protobuf;stream=watch");
    }
}

#[tokio::test]
async fn a_watch_ends_with_an_error_at_an_object_that_can_not_be_encoded_as_protobuf() {
    let server = ApiServer::start().await;
    let path = format!("{MAPS}?watch=1");
    let mut watches = Vec::new();
    for _ in 0..2 {
        let response = call(Method::GET, &path).header("accept", BOTH).open(&server.client()).await;
        watches.push((response.into_body(), Vec::new()));
    }
    server.put("configmaps", config_map("a", "fit", "1"));
    server.put("configmaps", unfit("unfit"));
    server.put("configmaps", config_map("a", "later", "1"));
    for (body, read) in &mut watches {
        assert_eq!(event(body, read).await.0, "ADDED");
        let (event_type, kind, status) = event(body, read).await;
        assert_eq!((&*event_type, &*kind), ("ERROR", "Status"));
        assert_eq!(decoded("", "Status", &status)["code"], 500);
        assert!(read.is_empty() && body.frame().await.is_none(), "the stream must end after an error");
    }
}

#[tokio::test]
async fn errors_are_sent_in_the_preferred_wire() {
    let server = ApiServer::start().await;
    let answer = get_as(&server.client(), "/api/v1/namespaces/a/configmaps/none", BOTH).await;
    assert_eq!((answer.code, media_type(&answer)), (404, PROTOBUF));
    let (_, kind, status) = envelope(&answer.body);
    let status = decoded("", "Status", &status);
    assert_eq!((&*kind, &status["reason"]), ("Status", &json!("NotFound")));
    assert_eq!(status["details"]["name"], "none");
}

#[tokio::test]
async fn event_faults_are_the_same_in_protobuf() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("a", "one", "1"));
    let faults = [
        EventFault::WithoutMetadata,
        EventFault::WithoutVersion,
        EventFault::WrongKind,
        EventFault::UnknownType,
        EventFault::Error { code: 500 },
    ];
    let mut received = Vec::new();
    for fault in faults {
        server.faults().inject(Fault::Event { after_events: 0, fault }.once());
        let response =
            call(Method::GET, &format!("{MAPS}?watch=1")).header("accept", BOTH).open(&server.client()).await;
        let (mut body, mut read) = (response.into_body(), Vec::new());
        let (event_type, kind, object) = event(&mut body, &mut read).await;
        let metadata = |object: &[u8]| decoded("", "ConfigMap", object)["metadata"].clone();
        received.push(match (&*event_type, &*kind) {
            ("ADDED", "ConfigMap") if metadata(&object)["name"].is_null() => "no metadata".to_owned(),
            ("ADDED", "ConfigMap") if metadata(&object)["resourceVersion"].is_null() => {
                "no version".to_owned()
            }
            ("ADDED", "ConfigMap") => event(&mut body, &mut read).await.0,
            (event_type, kind) => format!("{event_type} {kind}"),
        });
    }
    assert_eq!(received, ["no metadata", "no version", "ADDED Surprise", "SURPRISE", "ERROR Status"]);
}
