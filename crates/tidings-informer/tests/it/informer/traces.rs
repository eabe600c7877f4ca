//! Each fault is logged as one `tracing` event, whichever module notices it.

use tidings_informer::Handler;
use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_object::IntakeError;
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ErrorKind, Skipped, StreamScope, WatchEvent};

use super::fixture::{InformerFixture, config, pod, seconds};
use crate::traced::Traced;

// holds: X2
#[tokio::test(start_paused = true)]
async fn each_fault_is_logged_once() {
    let traced = Traced::default();
    let _guard = traced.subscribe();
    let bad = StreamScope::Namespace("bad".into());
    let mut fixture =
        InformerFixture::over(config(QueueOrder::InOrder), &[StreamScope::All, bad.clone()], &[]);
    fixture.informer.add_handler(Handler::new().on_add(|_, _| panic!("from the handler"))).unwrap();
    fixture.informer.add_index(Index::raw("broken", |_| panic!("from the index"))).unwrap();
    fixture.source_of(&bad).will_list_always(|_| panic!("from the source"));
    fixture.source.will_list(ListResponse::status(500, "from the list"));
    fixture.source.will_list(ListResponse::page(5).object(&pod("a", 1)));
    let broken = ErrorKind::Network { message: "from the watch".to_owned(), is_refused: false };
    let unnamed = Skipped::Object(IntakeError::NoIdentity { missing: "from the frame" });
    fixture.source.will_watch(WatchResponse::open().event(WatchEvent::Skipped(unnamed)).broken(broken));
    fixture.source.will_watch_always(|_| WatchResponse::open().hang());
    fixture.start();
    tokio::time::sleep(seconds(60)).await;
    let is_shown = |line: &String| !line.starts_with("DEBUG") && !line.starts_with("TRACE");
    let lines: Vec<_> = traced.only("").into_iter().filter(is_shown).collect();
    for fault in ["handler", "index", "source", "list", "frame", "watch"] {
        let about = |line: &&String| line.contains(&format!("from the {fault}"));
        assert_eq!(lines.iter().filter(about).count(), 1, "{fault}: {lines:#?}");
    }
    assert_eq!(fixture.faults.all().len(), 6, "{:#?}", fixture.faults.all());
    fixture.end().await;
}
