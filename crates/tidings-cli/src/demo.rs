//! `tidings demo`: a small simulated cluster, shared informers and a controller in one process. It prints all
//! notifications, breaks the watches now and then, and finally compares the caches with the server. The exit code is 0
//! only if they are equal.

mod printer;
mod recovery;
mod summary;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube_core::dynamic::DynamicObject;
use tidings::controller::Request;
use tidings::{Handler, Index, Kind, SharedInformer, SharedInformerFactory};
use tokio_util::sync::CancellationToken;

use crate::demo_cluster;
use crate::diff;
use crate::failure::{CliResult, Failure, FailureCode};
use crate::format::{CachedObject, value};
use crate::interrupt::interrupted;
use crate::output;
use printer::LinePrinter;
use summary::Agreement;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many seconds to run. Ctrl-C ends it earlier.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// The seed of the workload and the faults. The same seed repeats them.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// An informer whose notifications are printed.
struct Watched {
    plural: &'static str,
    informer: SharedInformer<DynamicObject>,
}

pub(crate) async fn run(arguments: Arguments) -> CliResult {
    let printer = LinePrinter::default();
    let faults = printer.clone();
    let server = demo_cluster::server(arguments.seed).await;
    let factory = SharedInformerFactory::builder(server.client())
        .resync(Duration::from_secs(10))
        .seed(arguments.seed)
        .on_error(move |fault| faults.print("[FAULT]", fault))
        .build();
    let counts = Arc::new(Counts::default());
    let watched = [
        watch::<Node>(&factory, "nodes", &counts, &printer)?,
        watch::<Deployment>(&factory, "deployments.apps", &counts, &printer)?,
        watch::<Pod>(&factory, "pods", &counts, &printer)?,
    ];
    watched[2].informer.add_index(Index::field("node", ".spec.nodeName"))?;
    let reconciles = printer.clone();
    let reconciled = move |request: &Request, what: &str| {
        reconciles.print("[RECONCILE]", format_args!("Deployment {request} {what}"));
    };
    let (controller, working) = demo_cluster::controller(reconciled).attach(&factory)?;
    let running = factory.start();
    running.synced().await?;

    let stop = CancellationToken::new();
    let mut working = pin!(working.run(stop.clone()));
    tokio::select! {
        ended = &mut working => {
            ended?;
            return Err(Failure::new(FailureCode::Failed, "the controller stopped before the end of the demo"));
        }
        () = demo_cluster::run_workload(&server, arguments.seed) => {}
        () = demo_cluster::inject_faults(&server, arguments.seed, |what| printer.print("[BREAK]", what)) => {}
        () = recovery::report(&factory, &watched, &printer) => {}
        () = tokio::time::sleep(Duration::from_secs(arguments.seconds)) => {}
        () = printer.closed() => {}
        signal = interrupted() => signal?,
    }
    server.faults().clear();
    stop.cancel();
    working.await?;

    let agreement = summary::agreement(&server, &watched).await;
    output::print(&summary::text(&factory, &controller, &counts, agreement))?;
    running.shutdown().await;
    match agreement {
        Agreement::Same => Ok(()),
        Agreement::Differ => {
            let repeat =
                format!("the caches differ from the server; --seed {} repeats this run", arguments.seed);
            Err(Failure::new(FailureCode::Failed, repeat))
        }
    }
}

/// Creates an informer and adds a handler that prints.
fn watch<K: Kind>(
    factory: &SharedInformerFactory,
    plural: &'static str,
    counts: &Arc<Counts>,
    printer: &LinePrinter,
) -> CliResult<Watched> {
    let informer = factory.informer::<K>().cast::<DynamicObject>();
    informer.add_handler(printing_handler(&K::resource().kind, counts, printer))?;
    Ok(Watched { plural, informer })
}

/// How many notifications of each type the handlers received.
#[derive(Default)]
struct Counts([AtomicU64; 3]);

impl Counts {
    fn one_more(&self, of: usize) {
        self.0[of].fetch_add(1, Ordering::Relaxed);
    }

    fn adds(&self) -> u64 {
        self.0[0].load(Ordering::Relaxed)
    }

    fn updates(&self) -> u64 {
        self.0[1].load(Ordering::Relaxed)
    }

    fn deletes(&self) -> u64 {
        self.0[2].load(Ordering::Relaxed)
    }
}

fn printing_handler(kind: &str, counts: &Arc<Counts>, printer: &LinePrinter) -> Handler<DynamicObject> {
    let print = |of: usize| {
        let (kind, counts, printer) = (kind.to_owned(), Arc::clone(counts), printer.clone());
        move |what: &str, object: &CachedObject, changes: &str| {
            counts.one_more(of);
            printer.print(what, format_args!("{kind} {}{changes}", object.key()));
        }
    };
    let (added, updated, deleted) = (print(0), print(1), print(2));
    Handler::new()
        .named("printer")
        .on_add(move |object, _is_initial| added("[ADD]", object, ""))
        .on_update(move |old, new| {
            // A resync delivers the same version again.
            if old.version() != new.version() {
                updated("[UPDATE]", new, &format!(" {}", changed(old, new)));
            }
        })
        .on_delete(move |gone| deleted("[DELETE]", gone, ""))
}

/// The first fields that changed, on one line.
fn changed(old: &CachedObject, new: &CachedObject) -> String {
    const FIELDS_MAX: usize = 3;
    let (old, new) = (value(old), value(new));
    let fields: Vec<String> =
        diff::between(&old, &new).iter().take(FIELDS_MAX).map(ToString::to_string).collect();
    fields.join(", ")
}
