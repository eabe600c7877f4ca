//! Label, field and shard selectors of a request, and how they are matched with the bytes of an object.
//!
//! `tidings-object` parses labels and fields. Labels are read from the metadata alone, and a field is read without decoding the rest
//! of the object.

use std::collections::HashMap;

use serde::Deserialize;
use tidings_object::LabelSelector;

use super::RequestOptions;
use crate::resource::ResourceDef;
use crate::server::ShardSelectors;
use crate::status::ApiError;
use crate::store::StoredObject;

use self::fields::BoundRequirement;
pub(crate) use self::shard::ShardSelector;

mod field_value;
mod fields;
mod shard;

/// The selected objects of a resource; all of them if all selectors are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: Vec<BoundRequirement>,
    shard: Option<ShardSelector>,
}

/// Whether an object is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Membership {
    /// It is selected.
    Inside,
    /// It is not selected, or there is no object.
    Outside,
}

/// The largest length of a selector, in bytes.
const SELECTOR_BYTES_MAX: usize = 32 << 10;

#[derive(Deserialize)]
struct LabelsOnly {
    #[serde(default)]
    labels: HashMap<String, String>,
}

impl Selection {
    /// The selection of a request. `shardSelector` is not even parsed on a server that ignores it.
    pub(crate) fn of(
        def: &ResourceDef,
        options: &RequestOptions,
        shard_selectors: ShardSelectors,
    ) -> Result<Self, ApiError> {
        let mut selection = Self::parse(def, &options.label_selector, &options.field_selector)?;
        if shard_selectors == ShardSelectors::Applied && !options.shard_selector.is_empty() {
            selection.shard = Some(ShardSelector::parse(&options.shard_selector)?);
        }
        Ok(selection)
    }

    /// Parses the label selector and the field selector for one resource; a 400 if one is not valid.
    pub(crate) fn parse(
        def: &ResourceDef,
        label_selector: &str,
        field_selector: &str,
    ) -> Result<Self, ApiError> {
        if label_selector.len().max(field_selector.len()) > SELECTOR_BYTES_MAX {
            return Err(ApiError::bad_request("selector is too long"));
        }
        let labels = LabelSelector::parse(label_selector)
            .map_err(|error| ApiError::bad_request(format!("unable to parse requirement: {error}")))?;
        let fields = fields::parse(def, field_selector).map_err(|why| {
            ApiError::bad_request(format!(
                "Unable to find \"{}, Resource={}\" that match label selector \"{label_selector}\", field selector \
                 \"{field_selector}\": {why}",
                def.api_version(),
                def.plural,
            ))
        })?;
        Ok(Self { labels, fields, shard: None })
    }

    /// Whether all objects are selected.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_empty() && self.shard.is_none()
    }

    /// The name, if the field selector requires `metadata.name` to be equal to one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.fields.iter().find_map(BoundRequirement::exact_name)
    }

    /// The shard, if the request has one and the server applies it.
    pub(crate) fn shard(&self) -> Option<&ShardSelector> {
        self.shard.as_ref()
    }

    pub(crate) fn matches(&self, object: &StoredObject) -> bool {
        self.fields.iter().all(|field| field.matches(object))
            && self.labels_match(object)
            && self.shard.as_ref().is_none_or(|shard| shard.matches(object))
    }

    pub(crate) fn membership(&self, object: Option<&StoredObject>) -> Membership {
        match object {
            Some(object) if self.is_everything() || self.matches(object) => Membership::Inside,
            _ => Membership::Outside,
        }
    }

    fn labels_match(&self, object: &StoredObject) -> bool {
        if self.labels.is_everything() {
            return true;
        }
        // Labels that are not a map of strings count as no labels. Only `ApiServer::put` can store such an object.
        let labels = serde_json::from_slice::<LabelsOnly>(object.metadata()).map(|only| only.labels);
        let labels = labels.unwrap_or_default();
        self.labels.matches(|key| labels.get(key).map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::builtin::builtin_resources;
    use crate::store::{KeyOrder, UnversionedObject};

    fn pods() -> ResourceDef {
        builtin_resources().into_iter().find(|def| def.kind == "Pod").unwrap()
    }

    fn pod() -> StoredObject {
        let value = json!({
            "metadata": {"name": "web-0", "namespace": "shop", "labels": {"app": "web", "weight": "7", "empty": ""}},
            "spec": {"nodeName": "n\"1", "hostNetwork": true, "containers": [{"name": "c"}]},
            "status": {"phase": "Running"},
        });
        UnversionedObject::encode("shop/web-0", value.as_object().unwrap(), KeyOrder::Struct).at(5)
    }

    #[test]
    fn labels_select_as_in_kubernetes() {
        for (selector, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web", true),
            ("app = web , weight in (6, 7)", true),
            ("app!=web", false),
            ("other!=web", true),
            ("app in (db,web)", true),
            ("app notin (db)", true),
            ("other notin (db)", true),
            ("app", true),
            ("!app", false),
            ("!other", true),
            ("weight>6", true),
            ("weight<7", false),
            ("empty=", true),
            ("empty", true),
            ("app=", false),
            ("app in (web),other", false),
        ] {
            let selection = Selection::parse(&pods(), selector, "").unwrap();
            assert_eq!(selection.matches(&pod()), expected, "{selector}");
        }
    }

    #[test]
    fn fields_select_as_in_kubernetes() {
        for (selector, expected) in [
            ("metadata.name=web-0", true),
            ("metadata.namespace!=shop", false),
            ("spec.nodeName=n\"1", true),
            ("status.phase=Running,spec.hostNetwork=true", true),
            ("status.phase!=Running", false),
            ("status.podIP=", true),
            ("status.nominatedNodeName!=x", true),
        ] {
            let selection = Selection::parse(&pods(), "", selector).unwrap();
            assert_eq!(selection.matches(&pod()), expected, "{selector}");
        }
    }

    #[test]
    fn a_malformed_selector_is_a_bad_request() {
        for selector in ["a=b=c", "a in b", "a in (b", "=b", "a b", "-a=b", "a=b!", "a,,b", "x>y", "in (a)"] {
            assert_eq!(Selection::parse(&pods(), selector, "").unwrap_err().code, 400, "{selector}");
        }
        for selector in ["spec.nope=x", "metadata.name", "metadata.name=a\\", "=x"] {
            assert_eq!(Selection::parse(&pods(), "", selector).unwrap_err().code, 400, "{selector}");
        }
    }
}
