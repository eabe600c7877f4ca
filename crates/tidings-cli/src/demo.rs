//! `tidings demo`: an API server, a workload and an informer in one process. It prints what a handler hears, breaks
//! the watch now and then, and ends with a comparison of cache and server: only if they agree it exits with 0.

mod workload;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::bail;
use k8s_openapi::api::core::v1::Pod;
use tidings::{Handler, Index, Object, SharedInformer, SharedInformerFactory};
use tidings_apiserver::ApiServer;

/// How long, and which workload.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How long it runs; Ctrl-C ends it earlier.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Repeats a workload.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What the handler heard.
#[derive(Default)]
struct Heard {
    adds: AtomicU64,
    updates: AtomicU64,
    deletes: AtomicU64,
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let server =
        ApiServer::builder().seed(arguments.seed).bookmark_interval(Duration::from_secs(2)).start().await;
    let factory = SharedInformerFactory::new(server.client())
        .resync(Duration::from_secs(30))
        .seed(arguments.seed)
        .on_error(|fault| say("[FAULT]", fault));
    let pods = factory.informer::<Pod>();
    pods.add_index(Index::field("node", ".spec.nodeName"))?;
    let heard = Arc::new(Heard::default());
    let printer = pods.add_handler(printer(&heard))?;
    let running = factory.start();
    running.synced().await?;

    let until = tokio::time::Instant::now() + Duration::from_secs(arguments.seconds);
    tokio::select! {
        () = workload::live(&server, arguments.seed) => {}
        () = tokio::time::sleep_until(until) => {}
        stopped = tokio::signal::ctrl_c() => stopped?,
    }

    let agreed = agree(&server, &pods).await;
    printer.remove().await;
    summary(&server, &pods, &heard)?;
    running.shutdown().await;
    if !agreed {
        bail!("cache and server do not agree; run it again with --seed {} to repeat this", arguments.seed);
    }
    Ok(())
}

fn printer(heard: &Arc<Heard>) -> Handler<Pod> {
    let (adds, updates, deletes) = (Arc::clone(heard), Arc::clone(heard), Arc::clone(heard));
    Handler::new()
        .named("printer")
        .on_add(move |pod: &Object<Pod>, _is_initial| {
            adds.adds.fetch_add(1, Ordering::Relaxed);
            say("[ADD]", format_args!("Pod {} on {}", pod.key(), field(pod, ".spec.nodeName")));
        })
        .on_update(move |old, new| {
            updates.updates.fetch_add(1, Ordering::Relaxed);
            let (before, after) = (field(old, ".status.phase"), field(new, ".status.phase"));
            if before != after {
                say("[UPDATE]", format_args!("Pod {} status.phase {before} -> {after}", new.key()));
            }
        })
        .on_delete(move |gone| {
            deletes.deletes.fetch_add(1, Ordering::Relaxed);
            say("[DELETE]", format_args!("Pod {}", gone.key()));
        })
}

fn field(pod: &Object<Pod>, path: &str) -> String {
    pod.field(path).map_or_else(|error| error.to_string(), |value| value.to_string())
}

/// Gives the informer a little time to catch up; then cache and server must be the same.
async fn agree(server: &ApiServer, pods: &SharedInformer<Pod>) -> bool {
    server.faults().clear();
    for _ in 0..100 {
        let cached: BTreeMap<String, u64> = pods
            .lister()
            .list()
            .iter()
            .filter_map(|pod| Some((pod.key().to_string(), pod.version().number()?)))
            .collect();
        if cached == server.list_versions("pods") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

fn summary(server: &ApiServer, pods: &SharedInformer<Pod>, heard: &Heard) -> anyhow::Result<()> {
    let stats = pods.stats();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let mut out = std::io::stdout().lock();
    writeln!(out)?;
    writeln!(
        out,
        "objects    {} cached, {} on the server",
        stats.objects,
        server.list_versions("pods").len()
    )?;
    writeln!(
        out,
        "heard      {} additions, {} updates, {} deletions",
        count(&heard.adds),
        count(&heard.updates),
        count(&heard.deletes)
    )?;
    writeln!(
        out,
        "requests   {} lists ({} again after a fault), {} watches",
        stats.requests.lists, stats.requests.relists, stats.requests.watches
    )?;
    writeln!(out, "faults     {} met, nothing lost", stats.faults.source)?;
    writeln!(
        out,
        "memory     {} bytes for the objects, {} for the indexes",
        stats.memory.object_bytes, stats.memory.index_bytes
    )?;
    Ok(())
}

/// One line. A closed pipe is no reason to stop: the comparison at the end still counts.
fn say(what: &str, text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{what:<9} {text}");
}
