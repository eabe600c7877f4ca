//! What a server answered to a write: its identity is read at once, the rest when someone looks. Most answers are dropped
//! unseen, and decoding one costs more than all else that is done with it.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Error;
use serde::Deserialize;
use serde::de::{self, DeserializeOwned};
use tidings_object::ResourceKind;

use super::WriteEffect;

/// An object as the server has it after a write, decoded when someone looks.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use tidings_controller::{Context, Error};
///
/// async fn write(context: &Context, wanted: &ConfigMap) -> Result<ConfigMap, Error> {
///     let written = context.api::<ConfigMap>().create(wanted).await?;
///     println!("{} has uid {}", written.name(), written.uid());
///     Ok(written.decoded()?)
/// }
/// ```
pub struct Written<K> {
    json: String,
    /// Only what identity consists of.
    meta: Arc<ObjectMeta>,
    view: PhantomData<fn() -> K>,
}

impl<K> Written<K> {
    /// Reads what it is from the answer, which must be of the resource.
    pub(super) fn of(resource: &ResourceKind, json: String) -> kube_client::Result<Self> {
        let ResponseHead { kind, metadata } = serde_json::from_str(&json).map_err(Error::SerdeError)?;
        if let Some(other) = kind.filter(|kind| *kind != resource.kind) {
            let text = format!("the answer is of kind {other}, not {}", resource.kind);
            return Err(Error::SerdeError(de::Error::custom(text)));
        }
        let meta = ObjectMeta {
            name: metadata.name,
            namespace: metadata.namespace,
            uid: metadata.uid,
            resource_version: metadata.resource_version,
            labels: metadata.labels,
            ..ObjectMeta::default()
        };
        Ok(Written { json, meta: Arc::new(meta), view: PhantomData })
    }

    /// What a cache will show of it.
    pub(super) fn effect(&self) -> WriteEffect {
        WriteEffect::answered(Arc::clone(&self.meta))
    }

    /// Its name; empty for what is answered and not stored, such as a review.
    pub fn name(&self) -> &str {
        self.meta.name.as_deref().unwrap_or_default()
    }

    /// Its namespace, unless in cluster scope.
    pub fn namespace(&self) -> Option<&str> {
        self.meta.namespace.as_deref()
    }

    /// Its uid; empty if it has none.
    pub fn uid(&self) -> &str {
        self.meta.uid.as_deref().unwrap_or_default()
    }

    /// Its `resourceVersion`; empty if it has none.
    pub fn version(&self) -> &str {
        self.meta.resource_version.as_deref().unwrap_or_default()
    }

    /// All of it, as the server wrote it.
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl<K: DeserializeOwned> Written<K> {
    /// Builds the object. Nothing is kept: whoever looks twice keeps it.
    pub fn decoded(&self) -> kube_client::Result<K> {
        serde_json::from_str(&self.json).map_err(Error::SerdeError)
    }
}

/// What is read of an answer at once.
#[derive(Deserialize)]
struct ResponseHead {
    kind: Option<String>,
    #[serde(default)]
    metadata: ResponseMetadata,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct ResponseMetadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    labels: Option<BTreeMap<String, String>>,
}

impl<K> Clone for Written<K> {
    fn clone(&self) -> Self {
        Written { json: self.json.clone(), meta: Arc::clone(&self.meta), view: PhantomData }
    }
}

/// Identity only: bodies hold secrets.
impl<K> fmt::Debug for Written<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written")
            .field("namespace", &self.namespace())
            .field("name", &self.name())
            .field("uid", &self.uid())
            .field("version", &self.version())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Secret;
    use tidings_object::Kind as _;

    use super::*;

    fn written(json: &str) -> kube_client::Result<Written<Secret>> {
        Written::of(&Secret::resource(), json.to_owned())
    }

    #[test]
    fn what_is_no_object_of_the_kind_is_an_error_that_quotes_nothing_of_it() {
        let status = r#"{"kind":"Status","metadata":{},"message":"hunter2","code":200}"#;
        for (json, said) in [
            (status, "the answer is of kind Status, not Secret"),
            ("<html>hunter2</html>", "expected value at line 1 column 1"),
            ("", "EOF while parsing"),
            (r#"{"kind":"Secret","data":{"password":"hunter2""#, "EOF while parsing"),
        ] {
            let error = written(json).unwrap_err();
            assert!(matches!(error, Error::SerdeError(_)), "{json}");
            let text = error.to_string();
            assert!(text.contains(said) && !text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn an_answer_need_not_say_what_it_is() {
        let written = written(r#"{"metadata":{"name":"a","labels":null}}"#).unwrap();
        assert_eq!(
            (written.name(), written.namespace(), written.uid(), written.version()),
            ("a", None, "", "")
        );
        assert_eq!(self::written("{}").unwrap().name(), "");
    }
}
