//! An element as a function sees it: what the function reads of it is recorded.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;

use tidings_object::{FieldPath, FieldValue, Object, RawObject, ReadError, UnpackedObject};

use crate::element::{Element, Keyed, Value};
use crate::recorder::{EntryId, Recorder};

/// An element that a function reads. The function runs again when something changes that it has read.
///
/// Of an object, [`field`](Self::field), [`field_text`](Self::field_text) and [`label`](Self::label) record one part:
/// a change of other parts does not run the function again. The key, the name and the namespace never change, and
/// record nothing. Everything else reads the whole element, through `Deref`: `pod.decoded()`, `pod.version()`, or a
/// field of a struct of your own.
///
/// An element that a query returned shares its record with the other elements of that query: a field that was read of
/// one of them counts as read of all of them.
pub struct Tracked<'a, E> {
    /// Borrowed from the state that is read, unless the element is made for this read.
    value: Cow<'a, Value<E>>,
    recorder: &'a Recorder<'a>,
    entry: EntryId,
    /// Behind a pointer, so that the elements of a query are small.
    unpacked: OnceCell<Box<Result<UnpackedObject, ReadError>>>,
}

impl<'a, E: Element> Tracked<'a, E> {
    pub(crate) fn new(value: Cow<'a, Value<E>>, recorder: &'a Recorder<'a>, entry: EntryId) -> Self {
        Tracked { value, recorder, entry, unpacked: OnceCell::new() }
    }

    /// The key. It records nothing.
    pub fn key(&self) -> Cow<'_, str> {
        self.value.key()
    }

    /// The part of the key before the first slash. It records nothing.
    pub fn namespace(&self) -> Option<String> {
        self.key().split_once('/').map(|(namespace, _)| namespace.to_owned())
    }

    /// The part of the key after the first slash, or the whole key if there is none. It records nothing.
    pub fn name(&self) -> String {
        let key = self.key();
        key.split_once('/').map_or(&*key, |(_, name)| name).to_owned()
    }

    /// The whole element.
    pub fn value(&self) -> &Value<E> {
        self.recorder.read_whole(self.entry);
        &self.value
    }

    /// The value of one label. Of an object, this records only the label.
    pub fn label(&self, key: &str) -> Option<&str> {
        match self.value.raw_object() {
            Some(_) => self.recorder.read_label(self.entry, key),
            None => self.recorder.read_whole(self.entry),
        }
        Keyed::label(&**self.value, key)
    }
}

impl<K: 'static> Tracked<'_, Object<K>> {
    /// The values at a field path such as `.status.podIP`, read from the bytes. This records only the path.
    pub fn field(&self, path: &str) -> Result<FieldValue, ReadError> {
        let path = self.recorder.read_field(self.entry, path)?;
        let object: &RawObject = self.value.raw();
        match object.is_prefetched(&path) {
            true => object.field_at(&path),
            false => self.field_of_body(&path),
        }
    }

    /// Reads a field from the body. The object is unpacked once. Later versions of it are read at this path when they
    /// arrive, so that neither an evaluation nor a comparison unpacks them.
    fn field_of_body(&self, path: &FieldPath) -> Result<FieldValue, ReadError> {
        let object: &RawObject = self.value.raw();
        object.origin().prefetch_field(path);
        match &**self.unpacked.get_or_init(|| Box::new(object.unpack())) {
            Ok(unpacked) => object.field_of(unpacked, path),
            Err(error) => Err(error.clone()),
        }
    }

    fn text_at(&self, path: &str) -> Result<Option<String>, ReadError> {
        let path = self.recorder.read_field(self.entry, path)?;
        match self.value.raw().prefetched_texts(&path) {
            Some(mut texts) => Ok(texts.next().map(str::to_owned)),
            None => Ok(self.field_of_body(&path)?.text().map(Cow::into_owned)),
        }
    }

    /// The first value at a field path as text. If the object can't be read, or the path is invalid, the evaluation of
    /// this key fails with that error.
    pub fn field_text(&self, path: &str) -> Option<String> {
        self.text_at(path).unwrap_or_else(|error| {
            self.recorder.fail(error.to_string());
            None
        })
    }
}

/// Reads the whole element.
impl<E> Deref for Tracked<'_, E> {
    type Target = E;

    fn deref(&self) -> &E {
        self.recorder.read_whole(self.entry);
        &self.value
    }
}

/// Only the key: formatting the element would read all of it.
impl<E: Element> fmt::Debug for Tracked<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracked").field("key", &self.key()).finish_non_exhaustive()
    }
}
