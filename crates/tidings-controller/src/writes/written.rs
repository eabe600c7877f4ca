//! The server's response to a write. Its identity is read immediately, and the rest is decoded on request: most
//! responses are never read, and decoding costs more than the rest of handling a small write.

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

/// The object that the server returned to a write. [`decoded`](Self::decoded) decodes it on request.
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
    /// Only the fields of the identity.
    meta: Arc<ObjectMeta>,
    view: PhantomData<fn() -> K>,
}

impl<K> Written<K> {
    /// Reads the identity. It is an error if the response is of another kind.
    pub(super) fn of(resource: &ResourceKind, json: String) -> kube_client::Result<Self> {
        let ResponseHead { kind, metadata } = serde_json::from_str(&json).map_err(Error::SerdeError)?;
        if let Some(other) = kind.filter(|kind| *kind != resource.kind) {
            let text = format!("the response is of kind {other}, not {}", resource.kind);
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

    /// What a cache shows after this write.
    pub(super) fn effect(&self) -> WriteEffect {
        WriteEffect::written_shared(Arc::clone(&self.meta))
    }

    /// The name. Empty for objects that the server does not store, such as a review.
    pub fn name(&self) -> &str {
        self.meta.name.as_deref().unwrap_or_default()
    }

    /// The namespace. `None` in cluster scope.
    pub fn namespace(&self) -> Option<&str> {
        self.meta.namespace.as_deref()
    }

    /// The uid. Empty if there is none.
    pub fn uid(&self) -> &str {
        self.meta.uid.as_deref().unwrap_or_default()
    }

    /// The `resourceVersion`. Empty if there is none.
    pub fn version(&self) -> &str {
        self.meta.resource_version.as_deref().unwrap_or_default()
    }

    /// The whole response.
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl<K: DeserializeOwned> Written<K> {
    /// Decodes the object. The result is not cached: keep it if you need it twice.
    pub fn decoded(&self) -> kube_client::Result<K> {
        serde_json::from_str(&self.json).map_err(Error::SerdeError)
    }
}

/// The fields that are read immediately.
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

/// Prints only the identity, because bodies contain secrets.
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
    fn a_response_of_another_kind_is_an_error_that_does_not_quote_it() {
        let status = r#"{"kind":"Status","metadata":{},"message":"hunter2","code":200}"#;
        for (json, expected) in [
            (status, "the response is of kind Status, not Secret"),
            ("<html>hunter2</html>", "expected value at line 1 column 1"),
            ("", "EOF while parsing"),
            (r#"{"kind":"Secret","data":{"password":"hunter2""#, "EOF while parsing"),
        ] {
            let error = written(json).unwrap_err();
            assert!(matches!(error, Error::SerdeError(_)), "{json}");
            let text = error.to_string();
            assert!(text.contains(expected) && !text.contains("hunter2"), "{text}");
        }
    }

    #[test]
    fn the_identity_of_a_response_is_shown_and_its_labels_are_part_of_the_effect() {
        let json = r#"{"metadata":{"namespace":"n","name":"a","uid":"u","resourceVersion":"7",
            "labels":{"app":"web"}},"data":{"password":"hunter2"}}"#;
        let written = written(json).unwrap();
        let shown = r#"Written { namespace: Some("n"), name: "a", uid: "u", version: "7", .. }"#;
        assert_eq!(format!("{written:?}"), shown);
        let WriteEffect::Written { version, meta } = written.effect() else { panic!("it was written") };
        assert_eq!(version.to_string(), "7");
        assert_eq!(meta.labels.as_ref().and_then(|labels| labels.get("app")).unwrap(), "web");
    }

    #[test]
    fn a_response_needs_no_kind() {
        let written = written(r#"{"metadata":{"name":"a","labels":null}}"#).unwrap();
        assert_eq!(
            (written.name(), written.namespace(), written.uid(), written.version()),
            ("a", None, "", "")
        );
        assert_eq!(self::written("{}").unwrap().name(), "");
    }
}
