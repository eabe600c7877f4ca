//! A small language for queue tests: each line is one input or one taken batch.
//!
//! ```text
//! known a/x@1           the cache has it
//! + a/y@2               a watch event: + added, ~ modified, - deleted
//! list a @9: a/x@1      a list of namespace a (* for all) at version 9; `relist` is a list of a new epoch
//! mark @10              a bookmark
//! end a                 the stream of namespace a ends
//! sync: 2               applies the last batch; then a resync queues 2 objects
//! take: + a/y@2 | ...   applies the last batch; then this batch is taken (`take:` alone: nothing is queued)
//! ```
//!
//! A line may begin with the number of its stream (`2> + b/z@3`). Deltas show the number of their stream, except those
//! of stream 1. An object is `key@version`, with `!uid` and `#body` where they matter.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use futures_util::FutureExt;
use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use tidings_object::{Budget, Intake, Kind, KnownObjects, NothingKnown, RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::*;
use crate::reflector::{Replacement, Sink};

/// Runs a transcript.
pub(super) fn check(order: QueueOrder, transcript: &str) {
    let cache = Arc::new(Cache::default());
    let (sender, mut receiver) = queue(order, 100_000, Arc::clone(&cache) as _);
    let mut taken = Batch::new();
    for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (stream, step) = match line.split_once("> ") {
            Some((stream, step)) if line.starts_with(|c: char| c.is_ascii_digit()) => {
                (StreamId(stream.parse().unwrap()), step)
            }
            _ => (StreamId(1), line),
        };
        let (verb, rest) = step.split_once([' ', ':']).unwrap_or((step, ""));
        let rest = rest.trim();
        let mut sink = sender.stream(stream, StreamScope::All);
        match verb {
            "known" => rest.split(' ').for_each(|word| cache.put(&object(word))),
            "+" | "~" | "-" => sink.change(change(verb), object(rest)).now_or_never().expect("room"),
            "mark" => sink.bookmark(version(rest)).now_or_never().expect("room"),
            "list" | "relist" => {
                let (head, objects) = rest.split_once(':').unwrap();
                let (namespace, at) = head.split_once(' ').unwrap();
                let mut list = sink.begin_replace(&scope(namespace));
                objects.split_whitespace().for_each(|word| list.accept(object(word)));
                let epoch = if verb == "list" { Epoch::Same } else { Epoch::New };
                list.commit(version(at), epoch).now_or_never().expect("room");
            }
            "sync" => {
                cache.apply(&std::mem::take(&mut taken));
                assert_eq!(receiver.resync().to_string(), rest, "\nat: {line}\nof: {transcript}");
            }
            "end" => sender.end_stream(stream, scope(rest)).now_or_never().expect("room"),
            "take" => {
                cache.apply(&taken);
                taken = receiver.next_batch().now_or_never().map(|batch| batch.unwrap()).unwrap_or_default();
                let shown: Vec<_> = taken.iter().map(|(stream, delta)| show(*stream, delta)).collect();
                assert_eq!(shown.join(" | "), rest, "\nat: {line}\nof: {transcript}");
            }
            _ => panic!("unknown step: {line}"),
        }
    }
}

/// The simplest cache: a map. It applies every delta, except a watch event that is older than its state.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<BTreeMap<String, Arc<RawObject>>>);

impl Cache {
    pub(super) fn apply(&self, batch: &Batch) {
        batch.iter().for_each(|(_, delta)| self.apply_one(delta));
    }

    pub(super) fn apply_one(&self, delta: &Delta) {
        match delta {
            Delta::ReplacedAll { scope, objects } => {
                self.remove_scope(scope);
                objects.iter().for_each(|object| self.put(object));
            }
            Delta::ScopeEnded { scope } => self.remove_scope(scope),
            Delta::Reached { .. } => {}
            Delta::Changed(_, object) if self.is_stale(object) => {}
            one if one.is_deletion() => drop(self.0.lock().remove(one.object().unwrap().key().as_str())),
            one => self.put(one.object().unwrap()),
        }
    }

    pub(super) fn put(&self, object: &Arc<RawObject>) {
        self.0.lock().insert(object.key().to_string(), Arc::clone(object));
    }

    /// Every object as a word, sorted by key.
    pub(super) fn words(&self) -> Vec<String> {
        self.0.lock().values().map(|object| word(object)).collect()
    }

    fn is_stale(&self, object: &RawObject) -> bool {
        let cached = self.known(&object.key());
        cached.is_some_and(|cached| object.version().is_older_than(cached.version()))
    }

    fn remove_scope(&self, scope: &StreamScope) {
        self.0.lock().retain(|_, object| !scope.contains(object.namespace()));
    }
}

impl KnownObjects for Cache {
    fn known(&self, key: &str) -> Option<Arc<RawObject>> {
        self.0.lock().get(key).cloned()
    }
}

impl KnownInScope for Cache {
    fn for_each_in(&self, scope: &StreamScope, visit: &mut dyn FnMut(&Arc<RawObject>)) {
        self.0.lock().values().filter(|object| scope.contains(object.namespace())).for_each(visit);
    }
}

/// `a/x@5`, `a/x@5!uid`, `a/x@5#body`.
pub(crate) fn object(word: &str) -> Arc<RawObject> {
    static INTAKE: LazyLock<Intake> =
        LazyLock::new(|| Intake::new(Pod::resource(), Arc::new(Budget::default())));
    let (word, body) = word.split_once('#').unwrap_or((word, ""));
    let (word, uid) = word.split_once('!').unwrap_or((word, ""));
    let (key, version) = word.split_once('@').unwrap();
    let (namespace, name) = key.split_once('/').unwrap();
    let uid = if uid.is_empty() { format!("uid-of-{key}") } else { uid.to_owned() };
    let json = serde_json::json!({
        "metadata": { "namespace": namespace, "name": name, "uid": uid, "resourceVersion": version },
        "status": { "message": body },
    });
    INTAKE.json(json.to_string().as_bytes(), &NothingKnown).unwrap()
}

/// The inverse of [`object`], without the body.
pub(crate) fn word(object: &RawObject) -> String {
    let own = format!("uid-of-{}", object.key());
    let uid = if object.uid() == own { String::new() } else { format!("!{}", object.uid()) };
    format!("{}@{}{uid}", object.key(), object.version())
}

pub(crate) fn scope(word: &str) -> StreamScope {
    match word {
        "*" => StreamScope::All,
        namespace => StreamScope::Namespace(namespace.into()),
    }
}

fn version(word: &str) -> Version {
    Version::new(word.trim_start_matches('@'))
}

fn change(sign: &str) -> ChangeType {
    match sign {
        "+" => ChangeType::Added,
        "~" => ChangeType::Modified,
        _ => ChangeType::Deleted,
    }
}

/// `+ ~ -` a watch event, `=` replaced, `?` missing from a list, `s` a resync.
pub(super) fn show(stream: StreamId, delta: &Delta) -> String {
    let shown = match delta {
        Delta::Changed(ChangeType::Added, object) => format!("+ {}", word(object)),
        Delta::Changed(ChangeType::Modified, object) => format!("~ {}", word(object)),
        Delta::Changed(ChangeType::Deleted, object) => format!("- {}", word(object)),
        Delta::Replaced(object) => format!("= {}", word(object)),
        Delta::MissingFromList(object) => format!("? {}", word(object)),
        Delta::Sync(object) => format!("s {}", word(object)),
        Delta::ReplacedAll { scope, objects } => {
            let objects: Vec<_> = objects.iter().map(|object| word(object)).collect();
            format!("all {}: {}", scope.namespace().unwrap_or("*"), objects.join(" ")).trim_end().to_owned()
        }
        Delta::ScopeEnded { scope } => format!("end {}", scope.namespace().unwrap_or("*")),
        Delta::Reached { version, by: ReachedBy::Bookmark } => format!("reached {version}"),
        Delta::Reached { version, by: ReachedBy::List(Epoch::Same) } => format!("listed {version}"),
        Delta::Reached { version, by: ReachedBy::List(Epoch::New) } => format!("relisted {version}"),
    };
    if stream == StreamId(1) || matches!(delta, Delta::Sync(_)) {
        shown
    } else {
        format!("{}> {shown}", stream.0)
    }
}
