//! The corpus: objects in both formats.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tidings_protobuf::{Message, message};

pub(crate) struct Pair {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) message: &'static Message,
    pub(crate) protobuf: Vec<u8>,
    pub(crate) json: String,
    /// The bytes that Go writes for an object that it decoded from this JSON. They differ in pointers to a zero time,
    /// which JSON can't represent.
    pub(crate) protobuf_from_json: Vec<u8>,
}

impl Pair {
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.json).expect("Go writes JSON")
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{} {}", self.group, self.version, self.kind)
    }
}

/// All pairs, sorted by kind.
pub(crate) fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut pairs = Vec::new();
    for file in fs::read_dir(folder).expect("the corpus is checked in") {
        let path = file.expect("a file of the corpus").path();
        let group = path.file_stem().and_then(|stem| stem.to_str()).expect("a group");
        let group = if group == "core" { "" } else { group };
        let text = fs::read_to_string(&path).expect("a file of the corpus can be read");
        pairs.extend(text.lines().map(|line| pair(group, line)));
    }
    assert!(pairs.len() > 900, "only {} pairs", pairs.len());
    pairs.sort_by_key(Pair::name);
    pairs
}

fn pair(group: &str, line: &str) -> Pair {
    let parts: Vec<_> = line.split('\t').collect();
    let [version, kind, protobuf, json, from_json] = parts[..] else { panic!("a pair has five parts") };
    let protobuf = STANDARD.decode(protobuf).expect("protobuf is base64");
    let from_json = STANDARD.decode(from_json).expect("protobuf is base64");
    Pair {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        message: message(group, version, kind).expect("the table has each kind of the corpus"),
        protobuf_from_json: if from_json.is_empty() { protobuf.clone() } else { from_json },
        protobuf,
        json: json.to_owned(),
    }
}
