//! How fast a list is split on each wire, alone and with its items made into objects.

#[path = "../src/testing/protobuf_fields.rs"]
#[allow(dead_code)] // The bench uses only a part of it.
mod protobuf_fields;

use std::convert::Infallible;
use std::hint::black_box;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures_util::{StreamExt as _, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use kube_client::client::Body;
use protobuf_fields::{envelope, field};
use serde_json::{Value, json};
use tidings_object::{Kind as _, Wire};
use tidings_protobuf::{encode, message};
use tidings_source::{KubeSource, ListOptions, ListWatch as _, fuzz};

const CHUNK_BYTES: usize = 64 << 10;
const PODS: usize = 1000;

/// A pod of about 6.7 KB.
fn pod(i: usize) -> Value {
    let container = |c: usize| {
        json!({
            "name": format!("container-{c}"), "image": format!("registry.example.com/team/app-{c}:v1.{i}"),
            "env": (0..12).map(|e| json!({"name": format!("VARIABLE_{e}"), "value": format!("value \"{e}\" of {i}")})).collect::<Vec<_>>(),
            "resources": {"limits": {"cpu": "500m", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
            "volumeMounts": (0..4).map(|v| json!({"name": format!("volume-{v}"), "mountPath": format!("/var/lib/app/{v}")})).collect::<Vec<_>>(),
        })
    };
    json!({
        "metadata": {
            "name": format!("web-{i}"), "namespace": format!("team-{}", i % 100), "uid": format!("{i:08x}-0000-4000-8000-{i:012x}"),
            "resourceVersion": (100_000 + i).to_string(), "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app": "web", "pod-template-hash": "5d4f8c7b9"}, "annotations": {"checksum/config": "a".repeat(64)},
        },
        "spec": {"nodeName": format!("node-{}", i % 50), "containers": (0..4).map(container).collect::<Vec<_>>()},
        "status": {"phase": "Running", "podIP": "10.0.0.1"},
    })
}

fn body(wire: Wire) -> Vec<u8> {
    let items: Vec<Value> = (0..PODS).map(pod).collect();
    match wire {
        Wire::Json => {
            let metadata = json!({"resourceVersion": "200000"});
            json!({"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": items})
                .to_string()
                .into()
        }
        Wire::Protobuf => {
            let pod = message("", "v1", "Pod").expect("a built-in kind");
            let items = items.iter().map(|item| field(2, &encode(pod, item).expect("a pod")));
            let parts: Vec<_> = std::iter::once(field(1, &field(2, b"200000"))).chain(items).collect();
            envelope("v1", "PodList", &parts.concat())
        }
    }
}

fn client(wire: Wire, body: Bytes) -> Client {
    let service = tower::service_fn(move |_: Request<Body>| {
        let body = body.clone();
        let starts = (0..body.len()).step_by(CHUNK_BYTES);
        let chunks: Vec<_> = starts
            .map(|start| {
                Ok::<_, Infallible>(Frame::data(body.slice(start..body.len().min(start + CHUNK_BYTES))))
            })
            .collect();
        let kind = match wire {
            Wire::Json => "application/json",
            Wire::Protobuf => "application/vnd.kubernetes.protobuf",
        };
        let response = Response::builder().header("content-type", kind);
        let response = response.body(StreamBody::new(stream::iter(chunks))).expect("a response");
        async { Ok::<_, Infallible>(response) }
    });
    Client::new(service, "default")
}

fn bench(criterion: &mut Criterion) {
    for wire in [Wire::Json, Wire::Protobuf] {
        let body = Bytes::from(body(wire));
        let mut group = criterion.benchmark_group(format!("list of 1000 pods, {wire}"));
        group.throughput(Throughput::Bytes(body.len() as u64)).sample_size(20);
        group.bench_function("split", |bencher| {
            bencher.iter(|| assert_eq!(fuzz::count_items(wire, black_box(&body), CHUNK_BYTES), PODS));
        });
        group.bench_function("split and take in", |bencher| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let source = runtime
                .block_on(async { KubeSource::builder(client(wire, body.clone()), Pod::resource()).build() })
                .unwrap();
            bencher.iter(|| {
                runtime.block_on(async {
                    let page = source.list(ListOptions::default()).await.unwrap();
                    assert_eq!(page.count().await, PODS + 1);
                });
            });
        });
        group.finish();
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
