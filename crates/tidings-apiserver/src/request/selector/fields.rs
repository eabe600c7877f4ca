//! Field selectors such as `metadata.name=x,status.phase!=Running`, bound to the selectable fields of one resource.

use tidings_object::{FieldOperator, FieldRequirement, FieldSelector};

use super::field_value;
use crate::resource::{ResourceDef, SelectableField};
use crate::store::StoredObject;

/// One requirement on one selectable field of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BoundRequirement {
    field: BoundField,
    operator: FieldOperator,
    value: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum BoundField {
    Name,
    Namespace,
    Body(SelectableField),
}

impl BoundRequirement {
    pub(super) fn matches(&self, object: &StoredObject) -> bool {
        let is_equal = match &self.field {
            BoundField::Name => object.name() == self.value,
            BoundField::Namespace => object.namespace() == self.value,
            BoundField::Body(field) => match field_value::read(object.body(), &field.path) {
                Some(value) => value == self.value,
                None => field.absent == self.value,
            },
        };
        is_equal == (self.operator == FieldOperator::Equals)
    }

    /// The name, if this requires `metadata.name` to be equal to one.
    pub(super) fn exact_name(&self) -> Option<&str> {
        let is_name = self.field == BoundField::Name && self.operator == FieldOperator::Equals;
        is_name.then_some(self.value.as_str())
    }
}

/// Parses a field selector and looks up its fields in a resource. The error says why it is not valid.
pub(super) fn parse(def: &ResourceDef, text: &str) -> Result<Vec<BoundRequirement>, String> {
    let selector = FieldSelector::parse(text).map_err(|error| error.to_string())?;
    selector.requirements().iter().map(|requirement| bind(def, requirement)).collect()
}

fn bind(def: &ResourceDef, requirement: &FieldRequirement) -> Result<BoundRequirement, String> {
    let name = requirement.field.as_str();
    let field = match name {
        "metadata.name" => BoundField::Name,
        "metadata.namespace" if def.is_namespaced() => BoundField::Namespace,
        _ => {
            let selectable = def.selectable_fields.iter().find(|field| field.name == name);
            BoundField::Body(selectable.ok_or_else(|| format!("field label not supported: {name}"))?.clone())
        }
    };
    Ok(BoundRequirement { field, operator: requirement.operator, value: requirement.value.clone() })
}
