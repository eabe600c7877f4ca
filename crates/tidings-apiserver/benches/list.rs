//! LIST of 100,000 pods of 6 KB as JSON, in process, on one core. The goal is at least 400 MB/s.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http::Request;
use http_body_util::{BodyExt, Empty};
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tower::{Service, ServiceExt};

const PODS: usize = 100_000;

/// A pod of about 6 KB.
fn pod(number: usize) -> Value {
    let variables: Vec<_> =
        (0..60).map(|i| json!({"name": format!("VARIABLE_{i}"), "value": "v".repeat(60)})).collect();
    json!({
        "metadata": {
            "name": format!("web-{number:06}"), "namespace": format!("ns-{:03}", number % 100),
            "labels": {"app": "web", "parity": (["even", "odd"][number % 2])},
        },
        "spec": {"nodeName": format!("node-{}", number % 500), "containers": [{"name": "c", "image": "i", "env": variables}]},
        "status": {"phase": "Running"},
    })
}

async fn list(server: &ApiServer, path: &str) -> usize {
    let mut service = server.service();
    let request = Request::get(path).body(Empty::<bytes::Bytes>::new()).expect("a request");
    let service =
        ServiceExt::<Request<Empty<bytes::Bytes>>>::ready(&mut service).await.expect("always ready");
    let mut body = service.call(request).await.expect("an answer").into_body();
    let mut bytes = 0;
    while let Some(frame) = body.frame().await {
        bytes += black_box(frame.expect("a chunk").into_data().expect("data")).len();
    }
    bytes
}

fn lists(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let server = runtime.block_on(ApiServer::start());
    server.load("pods", PODS, pod);
    let mut group = criterion.benchmark_group("list");
    group.sample_size(10);
    for (name, path) in [
        ("whole", "/api/v1/pods"),
        ("metadata-selected", "/api/v1/pods?labelSelector=parity%3Dodd"),
        ("field-selected", "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-7"),
        ("page-of-500", "/api/v1/pods?limit=500"),
    ] {
        let bytes = runtime.block_on(list(&server, path));
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function(name, |bencher| bencher.iter(|| runtime.block_on(list(&server, path))));
    }
    group.finish();
}

criterion_group!(benches, lists);
criterion_main!(benches);
