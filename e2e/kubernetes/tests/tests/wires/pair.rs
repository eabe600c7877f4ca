//! One object from both wires, and every way to read the protobuf: as JSON, by path, and encoded again.

use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta, encode, to_json, values_at};

use crate::difference::Difference;
use crate::envelope::Envelope;
use crate::expected_differences;
use crate::path;
use crate::seeded_server::is_release_of_fixtures;

pub(crate) struct Pair<'a> {
    /// A description of the object.
    pub(crate) what: String,
    pub(crate) message: &'static Message,
    pub(crate) type_meta: TypeMeta<'a>,
    pub(crate) json: Value,
    pub(crate) protobuf: &'a [u8],
}

impl<'a> Pair<'a> {
    /// An object in an envelope.
    pub(crate) fn of(what: String, json: Value, protobuf: Envelope<'a>) -> Pair<'a> {
        Pair::of_message(what, protobuf.message(), protobuf.type_meta, (json, protobuf.bytes))
    }

    /// An object whose message type is known.
    pub(crate) fn of_message(
        what: String,
        message: &'static Message,
        type_meta: TypeMeta<'a>,
        (mut json, protobuf): (Value, &'a [u8]),
    ) -> Pair<'a> {
        expected_differences::take_unsaid(message.name(), &mut json);
        Pair { what, message, type_meta, json, protobuf }
    }

    /// All differences between protobuf and JSON.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        [self.as_json(), self.by_path(), self.encoded_again()].concat()
    }

    /// The differences between its JSON and the server's.
    pub(crate) fn as_json(&self) -> Vec<Difference> {
        let what = format!("{}, as JSON", self.what);
        match to_json(self.message, self.type_meta, self.protobuf) {
            Ok(text) => Difference::between(&what, &self.json, &parsed(&text)),
            Err(error) => vec![Difference::whole(&what, "", &self.json, error)],
        }
    }

    /// The differences by path, for every path into the object.
    fn by_path(&self) -> Vec<Difference> {
        let what = format!("{}, by path", self.what);
        let paths = path::all(&self.json);
        let differing = paths.into_iter().flat_map(|(text, (path, json))| {
            match values_at(self.message, self.protobuf, &path) {
                Ok(found) => Difference::of_values(&what, &text, &json, &found),
                Err(error) => vec![Difference::whole(&what, &text, json, error)],
            }
        });
        differing.collect()
    }

    /// The server's JSON, encoded as protobuf, must equal the server's protobuf.
    fn encoded_again(&self) -> Vec<Difference> {
        let what = format!("{}, written as protobuf", self.what);
        let written = match encode(self.message, &self.json) {
            Ok(written) => written,
            Err(error) => return vec![Difference::whole(&what, "", &self.json, error)],
        };
        if written == self.protobuf {
            return Vec::new();
        }
        let read = to_json(self.message, self.type_meta, &written).expect("what was written can be read");
        let differences = Difference::between(&what, &self.json, &parsed(&read));
        if differences.is_empty() && is_release_of_fixtures() {
            let differs_at = written.iter().zip(self.protobuf).position(|(ours, theirs)| ours != theirs);
            let place = format!("(byte {})", differs_at.unwrap_or(written.len().min(self.protobuf.len())));
            return vec![Difference::whole(&what, &place, self.protobuf, written)];
        }
        differences
            .into_iter()
            .filter(|found| !expected_differences::is_newer(self.message.name(), found))
            .collect()
    }
}

fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("what is written as JSON is JSON")
}
