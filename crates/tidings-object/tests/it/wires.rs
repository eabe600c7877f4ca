//! An object reads the same from both wires: its identity, every field, the whole object, and the pruned object.

#[path = "../../benches/object/fixture.rs"]
mod fixture;
mod pod;

use std::fmt::Debug;
use std::sync::Arc;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_object::{FieldPath, Intake, Kind, NothingKnown, RawObject, Transform, Wire, fuzz};
use tidings_protobuf::{TypeMeta, encode, message};

/// One object from both wires.
struct BothWires {
    json: Arc<RawObject>,
    protobuf: Arc<RawObject>,
}

impl BothWires {
    fn of(intake: &Intake, object: &Value) -> BothWires {
        let kind = &intake.origin().resource;
        let table = message(&kind.group, &kind.version, &kind.kind).expect("a built-in kind");
        let bytes = encode(table, object).expect("it is of this kind");
        let both = BothWires {
            json: intake.json(object.to_string().as_bytes(), &NothingKnown).expect("it has an identity"),
            protobuf: intake.protobuf(TypeMeta::default(), &bytes, &NothingKnown).expect("so has this"),
        };
        assert_eq!((both.json.wire(), both.protobuf.wire()), (Wire::Json, Wire::Protobuf));
        both
    }

    fn check_identity(&self) {
        let identity = |object: &RawObject| {
            (
                (object.key().to_string(), object.uid().to_owned(), object.version().clone()),
                (object.generation(), object.deletion_timestamp().map(str::to_owned)),
                object.owner_uids().map(str::to_owned).collect::<Vec<_>>(),
                object.controller_uid().map(str::to_owned),
                object.labels().iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect::<Vec<_>>(),
            )
        };
        assert_eq!(identity(&self.protobuf), identity(&self.json));
    }

    fn check_every_field(&self, whole: &Value) {
        let mut paths =
            vec![".status.absent".to_owned(), ".spec.absent[*].x".to_owned(), ".nothing".to_owned()];
        paths_of(whole, "", &mut paths);
        for path in paths {
            let path = FieldPath::parse(&path).expect("names are quoted");
            let (json, protobuf) = (self.json.field_at(&path), self.protobuf.field_at(&path));
            assert_eq!(protobuf.expect("it reads"), json.expect("it reads"), "{path}");
        }
    }

    fn check_whole<K: DeserializeOwned + PartialEq + Debug + Send + Sync + 'static>(&self) -> Value {
        assert_eq!(
            self.protobuf.decoded::<K>().expect("decodes"),
            self.json.decoded::<K>().expect("decodes")
        );
        let json = value(&self.json);
        assert_eq!(value(&self.protobuf), json);
        assert_eq!(self.protobuf.view::<Value>().expect("decodes"), json);
        json
    }
}

fn value(object: &RawObject) -> Value {
    serde_json::from_slice(&object.json().expect("it reads as JSON")).expect("JSON is JSON")
}

/// The paths to all values inside, with `[*]` and with indexes for lists, and some paths that lead nowhere.
fn paths_of(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, below) in members {
                let name = name.replace('\\', "\\\\").replace('\'', "\\'");
                let path = format!("{path}['{name}']");
                paths.push(path.clone());
                paths_of(below, &path, paths);
            }
            paths.push(format!("{path}[*]"));
        }
        Value::Array(items) => {
            paths.push(format!("{path}[*]"));
            paths.push(format!("{path}[{}]", items.len()));
            for (index, item) in items.iter().enumerate() {
                paths_of(item, &format!("{path}[*]"), paths);
                paths.push(format!("{path}[{index}]"));
                paths_of(item, &format!("{path}[{index}]"), paths);
            }
            paths.push(format!("{path}.name"));
        }
        _ => paths.extend([format!("{path}.below"), format!("{path}[*]")]),
    }
}

/// Removes null and empty values: protobuf can't distinguish an emptied list or map from an absent one.
fn without_empty_values(value: Value) -> Value {
    let is_empty = |below: &Value| match below {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        other => other.is_null(),
    };
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, below)| (name, without_empty_values(below)));
            members.filter(|(_, below)| !is_empty(below)).collect()
        }
        Value::Array(items) => items.into_iter().map(without_empty_values).collect(),
        other => other,
    }
}

fn pods() -> Intake {
    Intake::new(Pod::resource(), Arc::default())
}

const PRUNED: [&str; 13] = [
    ".metadata.managedFields",
    ".metadata.annotations",
    ".metadata.annotations['a.b/c']",
    ".metadata.ownerReferences[*].name",
    ".metadata.deletionTimestamp",
    ".spec.containers[*].env",
    ".spec.containers[*].resources.limits.memory",
    ".spec.volumes[*]",
    ".spec.containers[0].env",
    ".metadata.ownerReferences[1]",
    ".spec.nodeName",
    ".status",
    ".kind",
];

const PREFETCHED: [&str; 11] = [
    ".spec.nodeName",
    ".status.phase",
    ".spec",
    ".spec.containers[*].image",
    ".spec.containers[*]",
    ".spec.containers[0].image",
    ".metadata.annotations['a.b/c']",
    ".metadata.generation",
    ".spec.hostNetwork",
    ".kind",
    ".absent",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn a_pod_reads_the_same_from_either_wire(pod in pod::pod()) {
        let both = BothWires::of(&pods(), &pod);
        both.check_identity();
        let whole = both.check_whole::<Pod>();
        both.check_every_field(&whole);
        prop_assert_eq!(&whole["spec"], &pod["spec"]);
    }

    #[test]
    fn pruning_gives_the_same_on_either_wire(
        pod in pod::pod(),
        paths in subsequence(PRUNED.to_vec(), 1..4),
    ) {
        let paths = paths.iter().map(|path| FieldPath::parse(path).expect("a constant path"));
        let both = BothWires::of(&pods().with_transform(Transform::prune(paths)), &pod);
        both.check_identity();
        prop_assert_eq!(without_empty_values(value(&both.protobuf)), without_empty_values(value(&both.json)));
    }

    #[test]
    fn a_transform_gets_and_gives_the_same_on_either_wire(pod in pod::pod()) {
        let transform = Transform::typed::<Pod>(|pod| pod.metadata.annotations = None)
            .then(Transform::json(|pod| pod["status"]["seen"] = pod["spec"].clone()));
        let intake = pods().with_transform(transform);
        let bytes = encode(message("", "v1", "Pod").expect("a built-in kind"), &pod).expect("it is a pod");
        let json = intake.json(pod.to_string().as_bytes(), &NothingKnown).expect("it has an identity");
        let protobuf = intake.protobuf(TypeMeta::default(), &bytes, &NothingKnown).expect("so has this");
        prop_assert_eq!(protobuf.wire(), Wire::Json);
        prop_assert_eq!(value(&protobuf), value(&json));
    }

    #[test]
    fn a_prefetched_field_equals_that_of_the_body(
        pod in pod::pod(),
        paths in subsequence(PREFETCHED.to_vec(), 1..7),
        pruned in proptest::option::of(select(PRUNED.to_vec())),
    ) {
        let paths = paths.iter().map(|path| FieldPath::parse(path).expect("a constant path")).collect::<Vec<_>>();
        let prune = |path: &str| Transform::prune([FieldPath::parse(path).expect("a constant path")]);
        let intake = || pruned.iter().fold(pods(), |intake, path| intake.with_transform(prune(path)));
        let (prefetching, plain) = (intake(), intake());
        paths.iter().for_each(|path| prefetching.origin().prefetch_field(path));
        let (prefetching, plain) = (BothWires::of(&prefetching, &pod), BothWires::of(&plain, &pod));
        for path in &paths {
            for (object, plain) in [(&prefetching.json, &plain.json), (&prefetching.protobuf, &plain.protobuf)] {
                let expected = plain.field_at(path).expect("it reads");
                let texts = object.prefetched_texts(path).map(|texts| texts.map(str::to_owned).collect::<Vec<_>>());
                let read = expected.texts().map(String::from).collect::<Vec<_>>();
                prop_assert!(texts.is_none_or(|texts| texts == read), "{}", path);
                prop_assert_eq!(&object.field_at(path).expect("it reads"), &expected, "{}", path);
            }
        }
    }

    #[test]
    fn damaged_bytes_are_an_error_or_another_object_and_never_a_panic(
        pod in pod::pod(),
        damage in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..4),
        end in maybe_end(),
    ) {
        let mut bytes = encode(message("", "v1", "Pod").expect("a built-in kind"), &pod).expect("it is a pod");
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        fuzz::message(&bytes);
        let prune = Transform::prune(PRUNED.iter().map(|path| FieldPath::parse(path).expect("a constant path")));
        for intake in [pods(), pods().with_transform(prune), pods().with_transform(Transform::json(|_| ()))] {
            let Ok(object) = intake.protobuf(TypeMeta::default(), &bytes, &NothingKnown) else { continue };
            let _ = (object.json().is_ok(), object.decoded::<Pod>().is_ok(), object.view::<Value>().is_ok());
            let _ = object.field(".spec.containers[*].env[*].name");
        }
    }
}

fn maybe_end() -> impl Strategy<Value = Option<Index>> {
    proptest::option::weighted(0.3, any::<Index>())
}

fn check_fixtures<K>(fixture: fn(u64) -> String)
where
    K: Kind + DeserializeOwned + PartialEq + Debug + Send + Sync + 'static,
{
    let intake = Intake::new(K::resource(), Arc::default());
    let fixtures = (0..5).map(|n| serde_json::from_str(&fixture(n)).expect("JSON is JSON"));
    let all: Vec<_> = fixtures.map(|object: Value| (BothWires::of(&intake, &object), object)).collect();
    for (both, object) in all {
        both.check_identity();
        let whole = both.check_whole::<K>();
        both.check_every_field(&whole);
        assert_eq!(whole, object);
        assert!(both.protobuf.wire_bytes() < both.json.wire_bytes());
    }
}

#[test]
fn objects_of_a_busy_cluster_read_the_same_from_either_wire() {
    check_fixtures::<Pod>(fixture::pod);
    check_fixtures::<ConfigMap>(fixture::config_map);
    check_fixtures::<Secret>(fixture::secret);
    check_fixtures::<Lease>(fixture::lease);
}

#[test]
fn one_dictionary_packs_bodies_of_either_wire() {
    let intake = pods();
    let mut cached: Vec<_> = (0..200)
        .flat_map(|n| {
            let pod = serde_json::from_str(&fixture::pod(n)).expect("JSON is JSON");
            let both = BothWires::of(&intake, &pod);
            [both.json, both.protobuf].map(|object| (object, pod.clone()))
        })
        .collect();
    intake.adopt(intake.training_due().expect("there are enough pods").run());
    for (object, _) in &mut cached {
        *object = intake.repacked(object).expect("a pod gains by a dictionary");
    }
    for (object, pod) in &cached {
        assert!(object.packed_bytes() * 3 < object.wire_bytes(), "{} packed", object.packed_bytes());
        assert_eq!(value(object), *pod);
    }
}
