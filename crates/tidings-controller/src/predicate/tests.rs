//! What each predicate accepts.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings_informer::Notification;
use tidings_object::{Budget, Intake, Kind, NothingKnown, Object};

use super::Predicate;

fn object(metadata: Value) -> Object<Pod> {
    let mut object =
        json!({ "metadata": { "name": "web", "namespace": "shop", "uid": "u1", "resourceVersion": "1" } });
    let given = metadata.as_object().expect("metadata is an object").clone();
    object["metadata"].as_object_mut().expect("metadata is an object").extend(given);
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
    Object::new(intake.json(object.to_string().as_bytes(), &NothingKnown).expect("a readable object"))
}

fn update(old: Value, new: Value) -> Notification<Pod> {
    Notification::Updated { old: object(old), new: object(new), is_resync: false }
}

#[test]
fn each_predicate_compares_its_own_part_of_an_update() {
    let predicates: [(&str, Predicate<Pod>); 4] = [
        ("generation", Predicate::generation_changed()),
        ("labels", Predicate::labels_changed()),
        ("annotations", Predicate::annotations_changed()),
        ("version", Predicate::version_changed()),
    ];
    let before = || json!({ "generation": 1, "labels": { "a": "b" }, "annotations": { "c": "d" } });
    let changes = [
        (json!({}), vec![]),
        (json!({ "resourceVersion": "2" }), vec!["version"]),
        (json!({ "resourceVersion": "2", "generation": 2 }), vec!["generation", "version"]),
        (json!({ "resourceVersion": "2", "labels": { "a": "x" } }), vec!["labels", "version"]),
        (json!({ "resourceVersion": "2", "labels": {} }), vec!["labels", "version"]),
        (json!({ "resourceVersion": "2", "annotations": { "c": "x" } }), vec!["annotations", "version"]),
        // Deleted and created again, and the watch missed it: it is another object.
        (
            json!({ "resourceVersion": "2", "uid": "u2" }),
            vec!["generation", "labels", "annotations", "version"],
        ),
    ];
    for (change, passes) in changes {
        let mut after = before();
        after.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let update = update(before(), after);
        let passing: Vec<_> = predicates
            .iter()
            .filter(|(_, predicate)| predicate.passes(&update))
            .map(|(name, _)| *name)
            .collect();
        assert_eq!(passing, passes, "{change}");
    }
}

#[test]
fn a_kind_without_generations_is_compared_by_its_version() {
    let predicate = Predicate::<Pod>::generation_changed();
    assert!(predicate.passes(&update(json!({}), json!({ "resourceVersion": "2" }))));
    assert!(!predicate.passes(&update(json!({}), json!({}))));
}

#[test]
fn predicates_about_updates_accept_additions_and_deletions() {
    let added = Notification::Added { object: object(json!({})), is_initial: false };
    let deleted = Notification::Deleted {
        old: object(json!({})),
        object: object(json!({})),
        is_final_state_unknown: false,
    };
    for predicate in [
        Predicate::generation_changed(),
        Predicate::labels_changed(),
        Predicate::annotations_changed(),
        Predicate::version_changed(),
        Predicate::on_update(|_, _| false),
    ] {
        assert!(predicate.passes(&added) && predicate.passes(&deleted));
        assert!(!predicate.clone().not().passes(&added));
    }
}

#[test]
fn predicates_combine_with_and_or_not() {
    let is = |answer: bool| Predicate::<Pod>::new(move |_| answer);
    let change = Notification::Added { object: object(json!({})), is_initial: true };
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(is(a).and(is(b)).passes(&change), a && b);
        assert_eq!(is(a).or(is(b)).passes(&change), a || b);
        assert_eq!(is(a).not().passes(&change), !a);
    }
}

// holds: X28
#[test]
fn an_object_whose_labels_matched_before_is_accepted_once_more() {
    let web = Predicate::<Pod>::labels("app=web".parse().unwrap());
    let labelled = |app: &str| json!({ "labels": { "app": app } });
    assert!(web.passes(&update(labelled("web"), labelled("db"))));
    assert!(web.passes(&update(labelled("db"), labelled("web"))));
    assert!(!web.passes(&update(labelled("db"), labelled("db"))));
    // A deletion may change the labels too: both the cached state and the final state count.
    let deleted = |old: &str, last: &str| {
        let [old, object] = [old, last].map(|app| object(labelled(app)));
        Notification::Deleted { old, object, is_final_state_unknown: false }
    };
    assert!(web.passes(&deleted("web", "db")) && web.passes(&deleted("db", "web")));
    assert!(!web.passes(&deleted("db", "db")));
}
