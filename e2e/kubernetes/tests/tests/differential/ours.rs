//! Our informer, in this process.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Config;
use kubernetes_tests::agreement::{Versions, cached};
use tidings::{
    Handler, InformerFault, InformerOptions, ListMode, Object, ReflectorConfig, Registration, Running,
    SharedInformer, SharedInformerFactory, WirePreference,
};
use tidings_object::Wire;
use tidings_source::client_from_config;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::{Instant, sleep};

use crate::notifications::{Event, HandlerKind, Notification, is_chosen};
use crate::script::{Lists, SLOW, Script};

/// The running informer. Dropping it ends it.
pub(crate) struct Ours {
    informer: SharedInformer<ConfigMap>,
    running: Running,
    registrations: Vec<Registration>,
    notifications: Notifications,
    faults: Faults,
}

/// Each fault that it reported, with its time.
type Faults = Arc<Mutex<Vec<String>>>;

type Notifications = Arc<Mutex<Vec<Notification>>>;

/// The bound above which pending notifications of one object are merged.
const SLOW_MERGE_ABOVE: usize = 2;

/// The resync period of the slow handler with a filter.
const RESYNC_PERIOD: Duration = Duration::from_secs(1);

impl Ours {
    pub(crate) fn start(script: &Script, server: &str, namespace: &str, selector: &str) -> Ours {
        let client = client_from_config(Config::new(server.parse().expect("a proxy has an address")))
            .expect("plain HTTP needs nothing");
        let list_mode = match script.lists {
            Lists::Streaming => ListMode::Streaming,
            Lists::Chunked => ListMode::Chunked,
        };
        let wire = match script.wire {
            Wire::Json => WirePreference::JsonOnly,
            Wire::Protobuf => WirePreference::ProtobufFirst,
        };
        let options = InformerOptions::new()
            .namespace(namespace)
            .expect("the namespace has a name")
            .labels(selector.parse().expect("the selector is one"))
            .wire(wire)
            .reflector(ReflectorConfig::default().list_mode(list_mode));
        let (faults, started_at) = (Faults::default(), Instant::now());
        let on_error = {
            let faults = Arc::clone(&faults);
            move |fault: &InformerFault| {
                let line = format!("{:7.3} s after its start: {fault}", started_at.elapsed().as_secs_f64());
                faults.lock().expect("no hook panics").push(line);
            }
        };
        let factory = SharedInformerFactory::builder(client).seed(script.seed).on_error(on_error).build();
        let informer = factory.informer_with::<ConfigMap>(options).unwrap();
        let notifications = Notifications::default();
        let add = |kind| informer.add_handler(handler(kind, &notifications));
        let registrations = HandlerKind::EACH.map(|kind| add(kind).expect("a new informer takes handlers"));
        Ours {
            informer,
            running: factory.start(),
            registrations: registrations.into(),
            notifications,
            faults,
        }
    }

    /// The current content of its cache.
    pub(crate) fn cache(&self) -> Versions {
        cached(&self.informer)
    }

    /// Whether all handlers have received everything, apart from resyncs.
    pub(crate) fn has_delivered_all(&self) -> bool {
        self.registrations.iter().all(|registration| registration.stats().backlog == 0)
    }

    pub(crate) fn notifications(&self) -> Vec<Notification> {
        self.notifications.lock().expect("no handler panics").clone()
    }

    /// Its faults and its health, for a failure.
    pub(crate) fn condition(&self) -> String {
        let faults = self.faults.lock().expect("no hook panics").join("\n");
        format!("{faults}\n{:#?}", self.informer.health())
    }

    /// Ends it, and returns its cache and all notifications.
    pub(crate) async fn ended(self) -> (Versions, Vec<Notification>) {
        let state = self.cache();
        self.running.shutdown().await;
        let notifications = self.notifications.lock().expect("no handler panics").clone();
        (state, notifications)
    }
}

fn handler(kind: HandlerKind, notifications: &Notifications) -> Handler<ConfigMap> {
    let tell = move |event, object: &Object<ConfigMap>, is_final_state_unknown| Notification {
        handler: kind,
        event,
        key: object.key().to_string(),
        uid: object.uid().to_string(),
        resource_version: object.version().to_string(),
        is_final_state_unknown,
    };
    let notifications = Arc::clone(notifications);
    let handler = Handler::from_fn(move |notification| {
        let notification = match notification {
            tidings::Notification::Added { object, .. } => tell(Event::Add, object, false),
            tidings::Notification::Updated { new, .. } => tell(Event::Update, new, false),
            tidings::Notification::Deleted { object, is_final_state_unknown, .. } => {
                tell(Event::Delete, object, *is_final_state_unknown)
            }
        };
        if kind.is_slow() {
            block_in_place(|| Handle::current().block_on(sleep(SLOW)));
        }
        notifications.lock().expect("no handler panics").push(notification);
    });
    let is_chosen = |object: &Object<ConfigMap>| {
        let write = object.field(".data.write").expect("the server sends config maps");
        is_chosen(write.text().as_deref())
    };
    match kind {
        HandlerKind::All => handler,
        HandlerKind::Filtered => handler.filter(is_chosen),
        HandlerKind::Slow => handler.merge_above(SLOW_MERGE_ABOVE),
        HandlerKind::SlowFiltered => {
            handler.filter(is_chosen).merge_above(SLOW_MERGE_ABOVE).resync(RESYNC_PERIOD)
        }
    }
}
