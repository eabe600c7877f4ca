//! The names of the spans of reconciles. This test needs its own process: tracing caches for the whole process which
//! spans are enabled, and another test without a subscriber could disable them first.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Action, Context, Controller, Request};
use tidings_factory::SharedInformerFactory;
use tokio_util::sync::CancellationToken;
use tracing::field::{Field, Visit};
use tracing::span;

/// Records the fields of each span `reconcile`.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        if span.metadata().name() == "reconcile" {
            let mut fields = Fields(String::new());
            span.record(&mut fields);
            self.0.lock().unwrap().push(fields.0);
        }
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

#[tokio::test(start_paused = true)]
async fn each_reconcile_has_a_span_with_the_names_of_controller_and_object() {
    let spans = Spans::default();
    let _guard = tracing::subscriber::set_default(spans.clone());
    let server = ApiServer::start().await;
    for name in ["one", "two"] {
        server.put("configmaps", json!({ "metadata": { "namespace": "default", "name": name } }));
    }
    let reconcile = |_: Request, _: Context| async { Ok(Action::await_change()) };
    let controller = Controller::for_kind::<ConfigMap>("maps").reconcile(reconcile);
    let factory = SharedInformerFactory::new(server.client());
    let (handle, task) = controller.attach(&factory).unwrap();
    let running = factory.start();
    let stop = CancellationToken::new();
    let settled = async {
        while handle.stats().successes < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(task.run(stop.clone()), settled);
    ended.unwrap();
    running.shutdown().await;
    let mut spans = spans.0.lock().unwrap().clone();
    spans.sort();
    let span = |name, id| {
        format!(
            "controller=\"maps\" object.namespace=\"default\" object.name={name:?} reconcile.id={id} \
             reconcile.causes=initial configmaps "
        )
    };
    assert_eq!(spans, [span("one", 1), span("two", 2)]);
}
