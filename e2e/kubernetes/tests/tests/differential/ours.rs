//! Our informer, in this process.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Config;
use kubernetes_tests::agreement::{State, cached};
use tidings::{
    Handler, InformerOptions, ListMode, Object, ReflectorConfig, Running, SharedInformer,
    SharedInformerFactory, WirePreference,
};
use tidings_source::client_from_config;

use crate::notifications::{Event, Notification};
use crate::script::Lists;

/// The running informer. Dropped, it is ended.
pub(crate) struct Ours {
    informer: SharedInformer<ConfigMap>,
    running: Running,
    notifications: Notifications,
}

type Notifications = Arc<Mutex<Vec<Notification>>>;

impl Ours {
    pub(crate) fn start(server: &str, namespace: &str, selector: &str, lists: Lists, seed: u64) -> Ours {
        let client = client_from_config(Config::new(server.parse().expect("a door has an address")))
            .expect("plain HTTP needs nothing");
        let list_mode = match lists {
            Lists::Streaming => ListMode::Streaming,
            Lists::Chunked => ListMode::Chunked,
        };
        let options = InformerOptions::new()
            .namespace(namespace)
            .expect("the namespace has a name")
            .labels(selector.parse().expect("the selector is one"))
            // The doors count lines, and client-go speaks JSON here as well: what differs is to be what is asked.
            .wire(WirePreference::JsonOnly)
            .reflector(ReflectorConfig::default().list_mode(list_mode));
        let factory = SharedInformerFactory::new(client).seed(seed);
        let informer = factory.informer_with::<ConfigMap>(options);
        let notifications = Notifications::default();
        informer.add_handler(handler(&notifications)).expect("a new informer takes handlers");
        Ours { informer, running: factory.start(), notifications }
    }

    /// What is in its cache now.
    pub(crate) fn cache(&self) -> State {
        cached(&self.informer)
    }

    pub(crate) fn notifications(&self) -> Vec<Notification> {
        self.notifications.lock().expect("no handler panics").clone()
    }

    /// Ends it, and gives what it had in its cache then, with everything that it told.
    pub(crate) async fn ended(self) -> (State, Vec<Notification>) {
        let state = self.cache();
        self.running.shutdown().await;
        let notifications = self.notifications.lock().expect("no handler panics").clone();
        (state, notifications)
    }
}

fn handler(notifications: &Notifications) -> Handler<ConfigMap> {
    let tell = |event, object: &Object<ConfigMap>, is_final_state_unknown| Notification {
        event,
        key: object.key().to_string(),
        uid: object.uid().to_string(),
        resource_version: object.version().to_string(),
        is_final_state_unknown,
    };
    let hear = |notifications: &Notifications| {
        let notifications = Arc::clone(notifications);
        move |notification| notifications.lock().expect("no handler panics").push(notification)
    };
    let (added, updated, deleted) = (hear(notifications), hear(notifications), hear(notifications));
    Handler::new()
        .on_add(move |object, _| added(tell(Event::Add, object, false)))
        .on_update(move |_, object| updated(tell(Event::Update, object, false)))
        .on_delete(move |gone| deleted(tell(Event::Delete, gone.object(), gone.is_final_state_unknown())))
}
