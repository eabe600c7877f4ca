//! Reading one's own writes.

use std::time::Duration;

use super::*;

fn version_of(object: Option<Arc<RawObject>>) -> Option<String> {
    object.map(|object| object.version().to_string())
}

// holds: S24
#[tokio::test(start_paused = true)]
async fn the_newer_of_cache_and_own_write_is_read() {
    let (mut writer, reader) = cache_of(&[thing("a/x").version(5)]);
    let overlay = Overlay::new(reader);
    overlay.written(thing("a/x").version(7).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("7"));
    overlay.written(thing("a/x").version(6).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("7"), "an older answer came later");
    writer.upsert(thing("a/x").version(8).built());
    writer.publish(None);
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("8"));
}

// holds: S24
#[tokio::test(start_paused = true)]
async fn what_the_cache_does_not_have_is_read_only_if_asked_for() {
    let (mut writer, reader) = indexer();
    let (plain, showing) = (Overlay::new(reader.clone()), Overlay::new(reader.clone()).showing_adds());
    for overlay in [&plain, &showing] {
        overlay.written(thing("a/x").version(3).built());
    }
    assert!(plain.get("a/x").is_none());
    assert_eq!(version_of(showing.get("a/x")).as_deref(), Some("3"));
    assert_eq!(keys(&showing.by_index("namespace", "a").unwrap()), ["a/x"]);
    assert!(plain.by_index("namespace", "a").unwrap().is_empty());
    writer.upsert(thing("a/x").version(3).built());
    writer.publish(None);
    assert_eq!(version_of(plain.get("a/x")).as_deref(), Some("3"));
}

// holds: S24
#[tokio::test(start_paused = true)]
async fn a_write_is_forgotten_after_its_time_and_beyond_the_bound() {
    let (_writer, reader) = cache_of(&[thing("a/x"), thing("a/y"), thing("a/z")]);
    let overlay = Overlay::new(reader).capacity_objects(2).time_to_live(Duration::from_secs(60));
    for key in ["a/x", "a/y"] {
        overlay.written(thing(key).version(2).built());
    }
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("2"), "which makes a/y the one not used");
    overlay.written(thing("a/z").version(2).built());
    assert_eq!(version_of(overlay.get("a/y")).as_deref(), Some("1"));
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("2"));
    tokio::time::advance(Duration::from_secs(60)).await;
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("1"));
    assert_eq!(Overlay::DEFAULT_CAPACITY_OBJECTS, 100);
    assert_eq!(Overlay::DEFAULT_TIME_TO_LIVE, Duration::from_secs(300));
}

// holds: S25
#[tokio::test(start_paused = true)]
async fn a_notification_at_least_as_new_takes_the_write_away() {
    let (_writer, reader) = cache_of(&[thing("a/x").version(5)]);
    let overlay = Overlay::new(reader);
    overlay.written(thing("a/x").version(7).built());
    overlay.on_add_or_update(&thing("a/x").version(6).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("7"));
    overlay.on_add_or_update(&thing("a/x").version(7).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("5"), "the cache answers alone");
}

// holds: S25
#[tokio::test(start_paused = true)]
async fn an_answer_to_a_write_before_a_deletion_comes_too_late() {
    let (_writer, reader) = indexer();
    let overlay = Overlay::new(reader).showing_adds();
    overlay.written(thing("a/x").version(7).built());
    overlay.on_delete(&thing("a/x").version(6).built());
    assert!(overlay.get("a/x").is_none(), "same uid, whatever the version");
    overlay.written(thing("a/x").version(9).built());
    assert!(overlay.get("a/x").is_none(), "same uid");
    overlay.written(thing("a/x").uid("other").version(6).built());
    assert!(overlay.get("a/x").is_none(), "not newer than the deletion");
    overlay.written(thing("a/x").uid("other").version(10).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("10"), "made again");
    overlay.on_delete(&thing("a/x").version(8).built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("10"), "another object was deleted");
    overlay.on_delete(&thing("a/x").uid("third").version(11).built());
    assert!(overlay.get("a/x").is_none(), "newer than our write");
}

// holds: S26
#[tokio::test(start_paused = true)]
async fn a_version_that_is_no_number_is_kept_until_the_cache_changes() {
    let (mut writer, reader) = cache_of(&[thing("a/x").version("aa")]);
    let overlay = Overlay::new(reader.clone());
    overlay.written(thing("a/x").version("bb").built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("bb"));
    overlay.on_add_or_update(&thing("a/x").version("aa").built());
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("bb"), "the cache has not changed");
    writer.upsert(thing("a/x").version("cc").built());
    writer.publish(None);
    assert_eq!(version_of(overlay.get("a/x")).as_deref(), Some("cc"));
}

// holds: S24, S26
#[tokio::test(start_paused = true)]
async fn an_index_finds_own_writes_under_the_values_they_have_now() {
    let (mut writer, reader) = cache_of(&[
        thing("a/moved").label("app", "web"),
        thing("a/stays").label("app", "web"),
        thing("a/comes").label("app", "db"),
    ]);
    reader.add_index(Index::label("app", "app")).unwrap();
    writer.maintain(10);
    let overlay = Overlay::new(reader);
    overlay.written(thing("a/moved").version(2).label("app", "db").built());
    overlay.written(thing("a/comes").version(2).label("app", "web").built());
    overlay.written(thing("a/new").version(2).label("app", "web").built());
    assert_eq!(keys(&overlay.by_index("app", "web").unwrap()), ["a/comes", "a/stays"]);
    assert_eq!(keys(&overlay.by_index("app", "db").unwrap()), ["a/moved"]);
    assert!(matches!(overlay.by_index("none", "web"), Err(IndexError::Unknown { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_write_to_what_was_deleted_since_is_not_shown() {
    let (mut writer, reader) = cache_of(&[thing("a/x")]);
    let overlay = Overlay::new(reader).showing_adds();
    overlay.written(thing("a/x").version(2).built());
    writer.remove("a/x");
    writer.publish(None);
    assert!(overlay.get("a/x").is_none());
}
