//! `tidings demo`: a small cluster in this process, shared informers on it, and a controller that works on it. It
//! prints what handlers hear, breaks the watches now and then, and ends with a comparison of caches and server: only
//! if they agree it exits with 0.

mod recovery;
mod summary;
mod voice;

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

use crate::changes;
use crate::failure::{Code, Done, Failure};
use crate::interrupt::interrupted;
use crate::output;
use crate::shown::{Cached, value};
use crate::world;
use summary::Agreement;
use voice::Voice;

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
    let voice = Voice::default();
    let faults = voice.clone();
    let server = world::server(arguments.seed).await;
    let factory = SharedInformerFactory::new(server.client())
        .resync(Duration::from_secs(10))
        .seed(arguments.seed)
        .on_error(move |fault| faults.say("[FAULT]", fault));
    let counts = Arc::new(Counts::default());
    let watched = [
        watch::<Node>(&factory, "nodes", &counts, &voice)?,
        watch::<Deployment>(&factory, "deployments.apps", &counts, &voice)?,
        watch::<Pod>(&factory, "pods", &counts, &voice)?,
    ];
    watched[2].informer.add_index(Index::field("node", ".spec.nodeName"))?;
    let reconciles = voice.clone();
    let reconciled = move |request: &Request, what: &str| {
        reconciles.say("[RECONCILE]", format_args!("Deployment {request} {what}"));
    };
    let (controller, working) = world::controller(reconciled).attach(&factory)?;
    let running = factory.start();
    running.synced().await?;

    let stop = CancellationToken::new();
    let mut working = pin!(working.run(stop.clone()));
    tokio::select! {
        ended = &mut working => {
            ended?;
            return Err(Failure::new(Code::Failed, "the controller ended before it was told to"));
        }
        () = world::live(&server, arguments.seed) => {}
        () = world::make_trouble(&server, arguments.seed, |what| voice.say("[BREAK]", what)) => {}
        () = recovery::tell(&factory, &watched, &voice) => {}
        () = tokio::time::sleep(Duration::from_secs(arguments.seconds)) => {}
        () = voice.closed() => {}
        asked = interrupted() => asked?,
    }
    server.faults().clear();
    stop.cancel();
    working.await?;

    let agreement = summary::agreement(&server, &watched).await;
    output::print(&summary::written(&factory, &controller, &counts, agreement))?;
    running.shutdown().await;
    match agreement {
        Agreement::Same => Ok(()),
        Agreement::Differ => {
            let repeat = format!("caches and server do not agree; --seed {} repeats this", arguments.seed);
            Err(Failure::new(Code::Failed, repeat))
        }
    }
}

/// An informer of that kind, printed.
fn watch<K: Kind>(
    factory: &SharedInformerFactory,
    plural: &'static str,
    counts: &Arc<Counts>,
    voice: &Voice,
) -> Done<Watched> {
    let informer = factory.informer::<K>().seen_as::<DynamicObject>();
    informer.add_handler(printer(&K::resource().kind, counts, voice))?;
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

fn printer(kind: &str, counts: &Arc<Counts>, voice: &Voice) -> Handler<DynamicObject> {
    let told = |of: usize| {
        let (kind, counts, voice) = (kind.to_owned(), Arc::clone(counts), voice.clone());
        move |what: &str, object: &Cached, changes: &str| {
            counts.one_more(of);
            voice.say(what, format_args!("{kind} {}{changes}", object.key()));
        }
    };
    let (added, updated, deleted) = (told(0), told(1), told(2));
    Handler::new()
        .named("printer")
        .on_add(move |object, _is_initial| added("[ADD]", object, ""))
        .on_update(move |old, new| {
            // A resync tells the same version again.
            if old.version() != new.version() {
                updated("[UPDATE]", new, &format!(" {}", changed(old, new)));
            }
        })
        .on_delete(move |gone| deleted("[DELETE]", gone.object(), ""))
}

/// The first few fields that changed, for one line.
fn changed(old: &Cached, new: &Cached) -> String {
    const FIELDS_MAX: usize = 3;
    let (old, new) = (value(old), value(new));
    let fields: Vec<String> =
        changes::between(&old, &new).iter().take(FIELDS_MAX).map(ToString::to_string).collect();
    fields.join(", ")
}
