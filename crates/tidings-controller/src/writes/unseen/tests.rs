//! Which writes the log keeps, and until when.

use k8s_openapi::api::core::v1::Secret;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_factory::SharedInformerFactory;
use tidings_object::Kind;
use tokio::time::advance;

use super::*;

fn key(name: &str) -> Key {
    Key::new(Some("default"), name).unwrap()
}

fn written(name: &str, version: &str) -> WriteEffect {
    WriteEffect::written(&ObjectMeta {
        name: Some(name.to_owned()),
        namespace: Some("default".to_owned()),
        resource_version: Some(version.to_owned()),
        ..ObjectMeta::default()
    })
}

fn last_write(version: &str, epoch: u64) -> LastWrite {
    LastWrite { version: Version::new(version), meta: Arc::default(), epoch }
}

fn kept(objects: &WrittenObjects) -> Vec<&str> {
    let mut names: Vec<_> = objects.by_key.keys().map(|key| key.name()).collect();
    names.sort_unstable();
    names
}

#[test]
fn writes_that_the_caches_have_reached_and_those_of_an_older_epoch_are_forgotten() {
    let mut objects = WrittenObjects::default();
    objects.wrote(key("reached"), last_write("5", 1));
    objects.wrote(key("ahead"), last_write("6", 1));
    objects.wrote(key("before-restore"), last_write("7", 0));
    objects.forget_passed(None, 0);
    assert_eq!(kept(&objects), ["ahead", "before-restore", "reached"]);
    objects.forget_passed(Some(&Version::new("5")), 1);
    assert_eq!(kept(&objects), ["ahead"]);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_forgotten_after_its_time() {
    let mut objects = WrittenObjects::default();
    objects.deleted(&key("a"), "u");
    advance(DELETION_KEPT - Duration::from_millis(1)).await;
    objects.forget_passed(Some(&Version::new("9")), 0);
    assert_eq!(kept(&objects), ["a"]);
    advance(Duration::from_millis(1)).await;
    objects.forget_passed(None, 0);
    assert!(kept(&objects).is_empty());
}

#[test]
fn the_last_deletions_of_a_key_are_kept() {
    let mut objects = WrittenObjects::default();
    (0..DELETIONS_PER_KEY_MAX + 2).for_each(|uid| objects.deleted(&key("a"), &uid.to_string()));
    let mut effects = Vec::new();
    objects.by_key["default/a"].effects(&key("a"), 0, &mut effects);
    let uids: Vec<_> = effects
        .iter()
        .map(|effect| match effect {
            WriteEffect::Deleted { uid, .. } => uid.as_str(),
            WriteEffect::Written { .. } => panic!("nothing was written"),
        })
        .collect();
    assert_eq!(uids, ["2", "3", "4", "5", "6", "7", "8", "9"]);
}

#[test]
fn above_the_bound_only_the_newest_version_of_further_objects_is_kept() {
    let mut objects = WrittenObjects::default();
    (0..OBJECTS_MAX).for_each(|name| objects.wrote(key(&name.to_string()), last_write("1", 0)));
    for (version, newest) in [("70", "70"), ("60", "70"), ("80", "80")] {
        objects.wrote(key("further"), last_write(version, 0));
        assert_eq!(objects.all_up_to, Some(Version::new(newest)));
    }
    objects.deleted(&key("further"), "u");
    assert_eq!((objects.by_key.len(), objects.newest(), objects.unordered()), (OBJECTS_MAX, 80, 0));
    objects.wrote(key("0"), last_write("90", 0));
    objects.deleted(&key("1"), "u");
    assert_eq!((objects.by_key.len(), objects.newest(), objects.unordered()), (OBJECTS_MAX, 90, 1));
    let kind = KindWrites { objects: Mutex::new(objects), ..KindWrites::default() };
    assert_eq!(kind.all_up_to(), Some(Version::new("80")));
    kind.objects.lock().forget_passed(Some(&Version::new("80")), 0);
    assert_eq!(kind.all_up_to(), None);
}

#[test]
fn deletions_and_versions_without_an_order_are_counted_once_for_each_object() {
    let mut objects = WrittenObjects::default();
    objects.wrote(key("a"), last_write("5", 0));
    assert_eq!(objects.unordered(), 0);
    objects.wrote(key("b"), last_write("x", 0));
    objects.deleted(&key("c"), "u");
    assert_eq!(objects.unordered(), 2);
    objects.deleted(&key("b"), "u");
    objects.deleted(&key("c"), "v");
    assert_eq!(objects.unordered(), 2);
}

#[test]
fn a_cache_has_passed_the_writes_if_it_has_reached_the_newest_and_all_have_an_order() {
    let version = |number| move || Some(Version::from(number));
    let kind = KindWrites::default();
    assert!(kind.is_passed(|| None), "nothing was written");
    kind.record(&written("a", "5"));
    kind.record(&written("b", "4"));
    assert!(!kind.is_passed(|| None) && !kind.is_passed(version(4)));
    assert!(kind.is_passed(version(5)) && kind.is_passed(version(6)));
    kind.record(&WriteEffect::Deleted { key: key("c"), uid: "u".to_owned() });
    assert!(!kind.is_passed(version(6)));
}

#[tokio::test(start_paused = true)]
async fn writes_that_the_caches_show_are_swept_out_by_writes_and_by_reads() {
    let server = ApiServer::start().await;
    let version = server.put("secrets", json!({ "metadata": { "name": "s" } }));
    let factory = SharedInformerFactory::new(server.client());
    let secrets: SharedInformer<()> = factory.informer::<Secret>().cast();
    let running = factory.start();
    running.synced().await.unwrap();
    let kind = WriteLog::default().kind(&Secret::resource());
    kind.add_cache(&secrets);

    let record = |version: u64, names: std::ops::RangeInclusive<usize>| {
        names.for_each(|name| kind.record(&written(&name.to_string(), &version.to_string())));
        kind.objects.lock().by_key.len()
    };
    assert_eq!(record(version, 1..=SWEEP_ABOVE), SWEEP_ABOVE, "no write has swept");
    assert_eq!(record(version, 0..=0), 0);
    assert!(kind.is_passed(|| None));

    let later = version + 1_000_000;
    let all = SWEEP_ABOVE + 1;
    assert_eq!(record(later, 1..=all), all, "no cache shows them");
    assert_eq!(kind.objects.lock().sweeps.due_above, 2 * all);
    assert!(!kind.is_passed(|| Some(Version::from(version))));

    // A read sweeps at most once in a while. The last sweep was now.
    record(version, 0..=0);
    assert_eq!(kind.unseen(ReadScope::All).len(), all + 1);
    advance(SWEEP_EVERY).await;
    assert_eq!(kind.unseen(ReadScope::All).len(), all);
    running.shutdown().await;
}
