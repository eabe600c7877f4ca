//! The types of kinds: fields, list types and merge keys, patch strategies.
//!
//! Strategic merge patch, server-side apply and the OpenAPI documents use this one table. It describes objects and
//! never refuses one. An unknown field has no type; a map without a type is merged key by key, and a list without a
//! type is replaced.

use std::collections::{BTreeMap, HashMap};

use crate::resource::ResourceDef;

pub(crate) mod builtin;
pub(crate) mod custom;

/// A table of types: those of all built-in kinds, or those of one version of a custom resource.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    types: Vec<SchemaType>,
    by_name: BTreeMap<String, SchemaTypeId>,
    by_kind: HashMap<GroupVersionKind, SchemaTypeId>,
}

/// The index of a type in its [`Schemas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaTypeId(usize);

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GroupVersionKind {
    /// Empty for the core group.
    pub group: String,
    pub version: String,
    pub kind: String,
}

/// One type.
#[derive(Clone, Debug)]
pub(crate) struct SchemaType {
    /// The name in the table, such as `core.v1.Container`; `None` for inline types.
    pub name: Option<String>,
    /// Set if the type is a kind.
    pub kind: Option<GroupVersionKind>,
    pub shape: TypeShape,
}

/// The structure of the values of a type.
#[derive(Clone, Debug)]
pub(crate) enum TypeShape {
    /// Any value.
    Any,
    /// A string, number or boolean.
    Scalar(Scalar),
    /// A struct (`fields`), a map (`values`), or both.
    Object {
        /// The declared fields.
        fields: BTreeMap<String, SchemaField>,
        /// The type of all other fields; `None` if it is not declared.
        values: Option<SchemaTypeId>,
        /// Whether it has one owner and is replaced as a whole.
        is_atomic: bool,
    },
    /// A list.
    List { items: SchemaTypeId, list_type: ListType },
}

/// `x-kubernetes-list-type`: how the items of a list are identified when two lists are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListType {
    /// Not at all: the list is replaced as a whole.
    Atomic,
    /// By their value.
    Set,
    /// By the values of these fields.
    Map(Vec<String>),
}

/// The scalar types, by their OpenAPI format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    /// Bytes in base64.
    Byte,
    /// An RFC 3339 time, in seconds.
    Time,
    /// An RFC 3339 time, in microseconds.
    MicroTime,
    /// A quantity such as `100m`.
    Quantity,
    /// An integer or a string.
    IntOrString,
    Int32,
    Int64,
    Double,
    Boolean,
}

/// A declared field of an object type.
#[derive(Clone, Debug)]
pub(crate) struct SchemaField {
    pub type_id: SchemaTypeId,
    pub is_required: bool,
    pub patch: PatchStrategy,
    /// The value that an absent list key counts as.
    pub default: Option<String>,
    pub presence: FieldPresence,
}

/// When the JSON of an object has a field. It follows from the tags of the field in the Go struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldPresence {
    /// Always, also if it is zero.
    Always,
    /// Unless it is zero (`omitempty`). An empty struct is not zero.
    UnlessZero,
    /// If it was set, also to zero (a pointer with `omitempty`).
    WhenSet,
}

/// How a strategic merge patch treats a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatchStrategy {
    /// For lists: the items are merged, objects by this key.
    pub merge: Option<Option<String>>,
    /// The value of the patch replaces the field.
    pub replaces: bool,
    /// The patch may have `$retainKeys`.
    pub retains_keys: bool,
}

/// A type, with the table of the types that it uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeRef<'a> {
    schemas: &'a Schemas,
    id: SchemaTypeId,
}

/// The type of the objects of a resource.
#[derive(Debug)]
pub(crate) enum KindSchema {
    Builtin(TypeRef<'static>),
    Custom(Schemas, SchemaTypeId),
    Unknown,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn add(&mut self, shape: TypeShape) -> SchemaTypeId {
        self.types.push(SchemaType { name: None, kind: None, shape });
        SchemaTypeId(self.types.len() - 1)
    }

    pub(crate) fn kind(&self, group: &str, version: &str, kind: &str) -> Option<TypeRef<'_>> {
        let name = GroupVersionKind { group: group.into(), version: version.into(), kind: kind.into() };
        self.by_kind.get(&name).map(|&id| self.at(id))
    }

    pub(crate) fn named(&self, name: &str) -> Option<TypeRef<'_>> {
        self.by_name.get(name).map(|&id| self.at(id))
    }

    #[cfg(test)]
    fn all_named(&self) -> impl Iterator<Item = TypeRef<'_>> {
        self.by_name.values().map(|&id| self.at(id))
    }

    pub(crate) fn at(&self, id: SchemaTypeId) -> TypeRef<'_> {
        TypeRef { schemas: self, id }
    }

    fn declare(&mut self, name: &str) -> SchemaTypeId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.add(TypeShape::Any);
        self.types[id.0].name = Some(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }

    fn set_kind(&mut self, id: SchemaTypeId, kind: GroupVersionKind) {
        self.types[id.0].kind = Some(kind.clone());
        self.by_kind.insert(kind, id);
    }

    fn set_shape(&mut self, id: SchemaTypeId, shape: TypeShape) {
        self.types[id.0].shape = shape;
    }
}

impl<'a> TypeRef<'a> {
    pub(crate) fn described(self) -> &'a SchemaType {
        &self.schemas.types[self.id.0]
    }

    pub(crate) fn shape(self) -> &'a TypeShape {
        &self.described().shape
    }

    pub(crate) fn sibling(self, id: SchemaTypeId) -> TypeRef<'a> {
        self.schemas.at(id)
    }

    pub(crate) fn declared(self, name: &str) -> Option<&'a SchemaField> {
        match self.shape() {
            TypeShape::Object { fields, .. } => fields.get(name),
            _ => None,
        }
    }

    /// The type of the value of `name`: that of the declared field, else that of the values of the map.
    pub(crate) fn field(self, name: &str) -> Option<TypeRef<'a>> {
        match self.shape() {
            TypeShape::Object { fields, values, .. } => {
                fields.get(name).map(|field| field.type_id).or(*values).map(|id| self.sibling(id))
            }
            _ => None,
        }
    }

    /// Whether the field is a struct that JSON always has, also if it is empty.
    pub(crate) fn is_always_present(self, name: &str) -> bool {
        let is_never_unset = |field: &SchemaField| field.presence != FieldPresence::WhenSet;
        let has_fields =
            |shape: &TypeShape| matches!(shape, TypeShape::Object { fields, .. } if !fields.is_empty());
        let is_struct = |found: TypeRef<'_>| has_fields(found.shape());
        self.declared(name).is_some_and(is_never_unset) && self.field(name).is_some_and(is_struct)
    }

    pub(crate) fn items(self) -> Option<TypeRef<'a>> {
        match self.shape() {
            TypeShape::List { items, .. } => Some(self.sibling(*items)),
            _ => None,
        }
    }

    /// Whether a value has one owner and is replaced as a whole.
    pub(crate) fn is_atomic(self) -> bool {
        match self.shape() {
            TypeShape::Object { is_atomic, .. } => *is_atomic,
            TypeShape::List { list_type, .. } => *list_type == ListType::Atomic,
            TypeShape::Scalar(_) => true,
            TypeShape::Any => false,
        }
    }
}

impl KindSchema {
    pub(crate) fn of(def: &ResourceDef) -> Self {
        match def.custom() {
            None => builtin::schemas()
                .kind(&def.group, &def.version, &def.kind)
                .map_or(Self::Unknown, Self::Builtin),
            Some(origin) => match &origin.schema {
                None => Self::Unknown,
                Some(schema) => {
                    let (schemas, root) = custom::read(schema);
                    Self::Custom(schemas, root)
                }
            },
        }
    }

    /// The type of an object; `None` if it is not known.
    pub(crate) fn root(&self) -> Option<TypeRef<'_>> {
        match self {
            Self::Builtin(root) => Some(*root),
            Self::Custom(schemas, root) => Some(schemas.at(*root)),
            Self::Unknown => None,
        }
    }
}
