//! Objects of every kind as Go writes them in both formats: what is read from protobuf is what stands in the JSON.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tidings_protobuf::{Message, TypeMeta, message, to_json};

struct Pair {
    version: String,
    kind: String,
    message: &'static Message,
    protobuf: Vec<u8>,
    json: String,
}

fn pairs() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut pairs = Vec::new();
    for file in fs::read_dir(folder).expect("the corpus is checked in") {
        let path = file.expect("a file of the corpus").path();
        let group = path.file_stem().and_then(|stem| stem.to_str()).expect("a group").replace("core", "");
        for line in fs::read_to_string(&path).expect("it can be read").lines() {
            let parts: Vec<_> = line.split('\t').collect();
            let [version, kind, protobuf, json] = parts[..] else { panic!("a pair has four parts") };
            pairs.push(Pair {
                version: version.to_owned(),
                kind: kind.to_owned(),
                message: message(&group, version, kind).expect("the table has each kind of the corpus"),
                protobuf: STANDARD.decode(protobuf).expect("base64"),
                json: json.to_owned(),
            });
        }
    }
    assert!(pairs.len() > 900, "only {} pairs", pairs.len());
    pairs
}

#[test]
fn the_json_of_an_object_is_letter_for_letter_what_go_writes() {
    for pair in pairs() {
        let json = to_json(pair.message, TypeMeta::default(), &pair.protobuf)
            .unwrap_or_else(|error| panic!("{} {}: {error}", pair.version, pair.kind));
        let json = String::from_utf8(json).expect("JSON is UTF-8");
        let at = json
            .bytes()
            .zip(pair.json.bytes())
            .position(|(a, b)| a != b)
            .unwrap_or(json.len())
            .saturating_sub(80);
        assert_eq!(
            json,
            pair.json,
            "{} {}\n{}\n{}",
            pair.version,
            pair.kind,
            &json.get(at..).unwrap_or("").chars().take(200).collect::<String>(),
            &pair.json.get(at..).unwrap_or("").chars().take(200).collect::<String>()
        );
    }
}
