//! An informer with a recorder of its notifications and its errors.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube_client::Client;
use kubernetes_tests::Collection;
use kubernetes_tests::trials::seed;
use tidings::BackoffConfig;
use tidings::ErrorClass;
use tidings::{
    InformerFault, InformerOptions, Kind, ListMode, ReflectorConfig, Running, SharedInformer,
    SharedInformerFactory, Wire,
};
use tidings_informer::testing::NotificationRecorder;

pub(crate) struct TestInformer<K> {
    pub(crate) informer: SharedInformer<K>,
    pub(crate) recorder: NotificationRecorder,
    pub(crate) errors: ErrorClasses,
    pub(crate) running: Running,
}

/// The classes of errors that an informer reported.
#[derive(Clone, Default)]
pub(crate) struct ErrorClasses(Arc<Mutex<Vec<ErrorClass>>>);

/// The first list takes milliseconds, or seconds for 50,000 pods, and longer on a busy machine.
const SYNC_MAX: Duration = Duration::from_secs(240);

/// The default configuration with short waits.
pub(crate) fn quick() -> ReflectorConfig {
    let backoff = BackoffConfig {
        initial: Duration::from_millis(50),
        step_max: Duration::from_millis(500),
        ..BackoffConfig::default()
    };
    ReflectorConfig::default().backoff(backoff)
}

/// With watches that last a few seconds.
pub(crate) fn with_short_watches() -> ReflectorConfig {
    let seconds = Duration::from_secs(3);
    quick().watch_timeout_floor(seconds).watch_timeout_min(seconds)
}

impl<K: Kind + 'static> TestInformer<K> {
    /// Starts an informer and waits until it is synced.
    pub(crate) async fn start(client: Client, options: InformerOptions) -> TestInformer<K> {
        let informer = TestInformer::begin(client, options);
        informer.synced().await;
        informer
    }

    /// Starts an informer.
    pub(crate) fn begin(client: Client, options: InformerOptions) -> TestInformer<K> {
        TestInformer::of(client, |factory| factory.informer_with(options).unwrap())
    }
}

impl<K: 'static> TestInformer<K> {
    /// Starts the informer that `informer` creates.
    pub(crate) fn of(
        client: Client,
        informer: impl FnOnce(&SharedInformerFactory) -> SharedInformer<K>,
    ) -> TestInformer<K> {
        let errors = ErrorClasses::default();
        let met = errors.clone();
        let factory = SharedInformerFactory::builder(client)
            .seed(seed())
            .on_error(move |fault| met.record(fault))
            .build();
        let informer = informer(&factory);
        let recorder = NotificationRecorder::attach(&informer);
        let running = factory.start();
        TestInformer { informer, recorder, errors, running }
    }

    pub(crate) async fn synced(&self) {
        self.running.synced_within(SYNC_MAX).await.unwrap();
    }

    /// The mode of its last list.
    pub(crate) fn list_mode(&self) -> Option<ListMode> {
        self.informer.health().streams[0].list_mode
    }

    /// The wire of its last response.
    pub(crate) fn wire(&self) -> Option<Wire> {
        self.informer.health().streams[0].wire
    }

    /// Waits until cache and handler equal what the server lists. Then stops everything and checks that no task
    /// remains.
    pub(crate) async fn ends_with(self, collection: Collection) {
        collection.agrees_with(&self.informer, &self.recorder).await;
        self.running.shutdown().await;
    }
}

impl ErrorClasses {
    fn record(&self, fault: &InformerFault) {
        if let InformerFault::Source(error) = fault {
            self.0.lock().unwrap().push(error.class());
        }
    }

    pub(crate) fn count(&self, class: ErrorClass) -> usize {
        self.0.lock().unwrap().iter().filter(|met| **met == class).count()
    }

    pub(crate) fn all(&self) -> Vec<ErrorClass> {
        self.0.lock().unwrap().clone()
    }
}
