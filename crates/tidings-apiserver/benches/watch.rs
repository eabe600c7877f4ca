//! Watch fan-out to 10 watchers on one core.
//!
//! The goal is 20,000 events per second for each watcher: with 6 KB per event in process, and with 1 KB over sockets.
//! So a run of 20,000 events must take less than a second.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use serde_json::{Value, json};
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Listen};
use tokio::task::JoinSet;

const WATCHERS: usize = 10;
const EVENTS: usize = 20_000;

fn map(number: usize, bytes: usize) -> Value {
    json!({"metadata": {"name": format!("m-{}", number % 1000)}, "data": {"n": number.to_string(), "v": "v".repeat(bytes)}})
}

async fn watch(client: &Client, from: u64) -> Body {
    let path = format!("/api/v1/configmaps?watch=1&resourceVersion={from}");
    let request = http::Request::get(path).body(Body::empty()).expect("a request");
    client.send(request).await.expect("an answer").into_body()
}

/// Reads until this many events have arrived.
async fn read(mut body: Body, events: usize) {
    let mut seen = 0;
    while seen < events {
        let frame = body.frame().await.expect("the watch continues").expect("a chunk");
        seen += frame.data_ref().map_or(0, |data| memchr::memchr_iter(b'\n', data).count());
    }
}

/// One run: writes all events, and all watchers read them.
async fn run(server: &ApiServer, client: &Client, bytes: usize) {
    let mut watchers = JoinSet::new();
    let from = server.version();
    for _ in 0..WATCHERS {
        let body = watch(client, from).await;
        watchers.spawn(read(body, EVENTS));
    }
    for number in 0..EVENTS {
        server.put("configmaps", map(number, bytes));
        if number % 50 == 0 {
            tokio::task::yield_now().await;
        }
    }
    while let Some(read) = watchers.join_next().await {
        read.expect("a watcher that reads to the end");
    }
}

fn fan_out(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut group = criterion.benchmark_group("watch");
    group.sample_size(10).measurement_time(Duration::from_secs(15));
    group.throughput(Throughput::Elements((EVENTS * WATCHERS) as u64));
    let server = runtime.block_on(ApiServer::start());
    group.bench_function("in-process-6KB", |bencher| {
        let client = {
            let _inside = runtime.enter();
            server.client()
        };
        bencher.iter(|| runtime.block_on(run(&server, &client, 6000)));
    });
    group.bench_function("sockets-1KB", |bencher| {
        let (listening, serving) = runtime.block_on(server.listen(Listen::plain())).expect("a free port");
        let mut tasks = JoinSet::new();
        tasks.spawn_on(serving, runtime.handle());
        let client = {
            let _inside = runtime.enter();
            Client::try_from(listening.client_config(ADMIN_TOKEN)).expect("a client")
        };
        bencher.iter(|| runtime.block_on(run(&server, &client, 1000)));
    });
    group.finish();
}

criterion_group!(benches, fan_out);
criterion_main!(benches);
