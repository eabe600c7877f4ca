//! `tidings demo`: a small cluster in this process, shared informers on it, and a controller that works on it. It
//! prints what handlers hear, breaks the watches now and then, and ends with a comparison of caches and server: only
//! if they agree it exits with 0.

mod summary;
mod trouble;

use std::fmt::Display;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube_core::dynamic::DynamicObject;
use tidings::{Handler, Index, Kind, SharedInformer, SharedInformerFactory};
use tidings_apiserver::ApiServer;
use tokio_util::sync::CancellationToken;

use crate::changes;
use crate::failure::{Code, Done, Failure};
use crate::interrupt::interrupted;
use crate::shown::{Cached, value};
use crate::world;

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

/// An informer whose notifications are printed.
struct Watched {
    plural: &'static str,
    informer: SharedInformer<DynamicObject>,
}

pub(crate) async fn run(arguments: Arguments) -> Done {
    let server =
        ApiServer::builder().seed(arguments.seed).bookmark_interval(Duration::from_secs(2)).start().await;
    let factory = SharedInformerFactory::new(server.client())
        .resync(Duration::from_secs(10))
        .seed(arguments.seed)
        .on_error(|fault| say("[FAULT]", fault));
    let counts = Arc::new(Counts::default());
    let watched = [
        watch::<Node>(&factory, "nodes", &counts)?,
        watch::<Deployment>(&factory, "deployments.apps", &counts)?,
        watch::<Pod>(&factory, "pods", &counts)?,
    ];
    watched[2].informer.add_index(Index::field("node", ".spec.nodeName"))?;
    let reconciled = |request: &tidings::controller::Request, what: &str| {
        say("[RECONCILE]", format_args!("Deployment {request} {what}"));
    };
    let (controller, working) = world::controller(reconciled).attach(&factory)?;
    let running = factory.start();
    running.synced().await?;

    let stop = CancellationToken::new();
    let mut working = std::pin::pin!(working.run(stop.clone(), CancellationToken::new()));
    tokio::select! {
        ended = &mut working => {
            ended?;
            return Err(Failure::new(Code::Failed, "the controller ended before it was told to"));
        }
        () = world::live(&server, arguments.seed) => {}
        () = trouble::make(&server, arguments.seed) => {}
        () = tokio::time::sleep(Duration::from_secs(arguments.seconds)) => {}
        asked = interrupted() => asked?,
    }
    server.faults().clear();
    stop.cancel();
    working.await?;

    let agreed = summary::agreed(&server, &watched).await;
    summary::print(&factory, &controller, &counts)?;
    running.shutdown().await;
    if agreed {
        return Ok(());
    }
    let repeat = format!("caches and server do not agree; --seed {} repeats this", arguments.seed);
    Err(Failure::new(Code::Failed, repeat))
}

/// An informer of that kind, printed.
fn watch<K: Kind>(
    factory: &SharedInformerFactory,
    plural: &'static str,
    counts: &Arc<Counts>,
) -> Done<Watched> {
    let informer = factory.informer::<K>().seen_as::<DynamicObject>();
    informer.add_handler(printer(&K::resource().kind, counts))?;
    Ok(Watched { plural, informer })
}

/// What the handlers heard.
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

fn printer(kind: &str, counts: &Arc<Counts>) -> Handler<DynamicObject> {
    let told = |of: usize| (kind.to_owned(), Arc::clone(counts), of);
    let ((add_kind, adds, add), (update_kind, updates, update), (delete_kind, deletes, delete)) =
        (told(0), told(1), told(2));
    Handler::new()
        .named("printer")
        .on_add(move |object, _is_initial| {
            adds.one_more(add);
            say("[ADD]", format_args!("{add_kind} {}", object.key()));
        })
        .on_update(move |old, new| {
            // A resync tells the same version again.
            if old.version() != new.version() {
                updates.one_more(update);
                say("[UPDATE]", format_args!("{update_kind} {} {}", new.key(), changed(old, new)));
            }
        })
        .on_delete(move |gone| {
            deletes.one_more(delete);
            say("[DELETE]", format_args!("{delete_kind} {}", gone.key()));
        })
}

/// The first few fields that changed, for one line.
fn changed(old: &Cached, new: &Cached) -> String {
    const FIELDS_MAX: usize = 3;
    let (old, new) = (value(old), value(new));
    let fields: Vec<String> =
        changes::between(&old, &new).iter().take(FIELDS_MAX).map(ToString::to_string).collect();
    fields.join(", ")
}

/// One line. A closed pipe is no reason to stop: the comparison at the end still counts.
fn say(what: &str, text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{what:<11} {text}");
}
