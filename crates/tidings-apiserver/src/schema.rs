//! What is known about the shape of a kind: field types, how its lists are keyed, how its fields are patched.
//!
//! Strategic merge patch, server-side apply and the OpenAPI documents all read this one table. It describes; it never
//! refuses an object: an unknown field is simply untyped, and untyped maps merge key by key, untyped lists as a whole.

use std::collections::{BTreeMap, HashMap};

use crate::resource::ResourceDef;

pub(crate) mod builtin;
pub(crate) mod custom;

/// The types of one document: those of all built-in kinds, or those of one version of a custom resource.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    types: Vec<SchemaType>,
    by_name: BTreeMap<String, SchemaTypeId>,
    by_kind: HashMap<GroupVersionKind, SchemaTypeId>,
}

/// Where a type stands in its [`Schemas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaTypeId(usize);

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GroupVersionKind {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version within the group.
    pub version: String,
    /// The kind, as in an object's `kind` field.
    pub kind: String,
}

/// One type: its name where it has one, and its shape.
#[derive(Clone, Debug)]
pub(crate) struct SchemaType {
    /// The name in the table, such as `core.v1.Container`; inline types have none.
    pub name: Option<String>,
    /// Group, version and kind, for types that are kinds.
    pub kind: Option<GroupVersionKind>,
    /// What values of the type look like.
    pub shape: TypeShape,
}

/// What values of a type look like.
#[derive(Clone, Debug)]
pub(crate) enum TypeShape {
    /// Anything at all.
    Any,
    /// A string, number or boolean.
    Scalar(Scalar),
    /// A struct (named fields), a map (`values`), or both.
    Object {
        /// The fields with a type of their own.
        fields: BTreeMap<String, SchemaField>,
        /// The type of all other fields; none where they are not described.
        values: Option<SchemaTypeId>,
        /// Whether it is owned and replaced as a whole.
        is_atomic: bool,
    },
    /// A list.
    List {
        /// The type of its items.
        items: SchemaTypeId,
        /// How an item is told from another.
        list_type: ListType,
    },
}

/// How the items of a list are told apart when two writers' lists are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListType {
    /// They are not: the list is replaced as a whole.
    Atomic,
    /// By their value.
    Set,
    /// By the values of these fields.
    Map(Vec<String>),
}

/// The scalar types, by the format OpenAPI gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// Text.
    String,
    /// Base64 of bytes.
    Byte,
    /// An RFC 3339 time, in seconds.
    Time,
    /// An RFC 3339 time, in microseconds.
    MicroTime,
    /// A quantity such as `100m`.
    Quantity,
    /// A number or text.
    IntOrString,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A floating-point number.
    Double,
    /// A boolean.
    Boolean,
}

/// A named field of an object type.
#[derive(Clone, Debug)]
pub(crate) struct SchemaField {
    /// The field's type.
    pub type_id: SchemaTypeId,
    /// Whether an object without it is invalid.
    pub is_required: bool,
    /// How a strategic merge patch treats it.
    pub patch: PatchStrategy,
    /// The value the server takes when it is a list key and left out.
    pub default: Option<String>,
    /// When JSON shows it.
    pub presence: FieldPresence,
}

/// When the JSON of an object shows a field: what a real server's struct can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldPresence {
    /// Always, zeros too.
    Always,
    /// Unless it is zero; an object with fields of its own never is, however empty.
    UnlessZero,
    /// When it was set, if only to zero.
    WhenSet,
}

/// How a strategic merge patch treats a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PatchStrategy {
    /// A list: items are merged, by this key where they are objects.
    pub merge: Option<Option<String>>,
    /// The patch's object replaces the field.
    pub replaces: bool,
    /// The patch may name the only keys to keep (`$retainKeys`).
    pub retains_keys: bool,
}

/// A type together with the table it refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeRef<'a> {
    schemas: &'a Schemas,
    id: SchemaTypeId,
}

/// The type of a resource's objects, wherever it comes from.
#[derive(Debug)]
pub(crate) enum KindSchema {
    /// A built-in kind's.
    Builtin(TypeRef<'static>),
    /// A custom resource's, from its definition.
    Custom(Schemas, SchemaTypeId),
    /// Not described.
    Unknown,
}

impl Schemas {
    /// An empty table.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a type, and answers where it stands.
    pub(crate) fn add(&mut self, shape: TypeShape) -> SchemaTypeId {
        self.types.push(SchemaType { name: None, kind: None, shape });
        SchemaTypeId(self.types.len() - 1)
    }

    /// The type of a kind.
    pub(crate) fn kind(&self, group: &str, version: &str, kind: &str) -> Option<TypeRef<'_>> {
        let name = GroupVersionKind { group: group.into(), version: version.into(), kind: kind.into() };
        self.by_kind.get(&name).map(|&id| self.at(id))
    }

    /// The type of that name.
    pub(crate) fn named(&self, name: &str) -> Option<TypeRef<'_>> {
        self.by_name.get(name).map(|&id| self.at(id))
    }

    #[cfg(test)]
    fn all_named(&self) -> impl Iterator<Item = TypeRef<'_>> {
        self.by_name.values().map(|&id| self.at(id))
    }

    /// A type of this table.
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
    /// Name, kind and shape.
    pub(crate) fn described(self) -> &'a SchemaType {
        &self.schemas.types[self.id.0]
    }

    /// What values look like.
    pub(crate) fn shape(self) -> &'a TypeShape {
        &self.described().shape
    }

    /// Another type of the same table.
    pub(crate) fn sibling(self, id: SchemaTypeId) -> TypeRef<'a> {
        self.schemas.at(id)
    }

    /// The declared field of that name, if any.
    pub(crate) fn declared(self, name: &str) -> Option<&'a SchemaField> {
        match self.shape() {
            TypeShape::Object { fields, .. } => fields.get(name),
            _ => None,
        }
    }

    /// The type of what stands under `name`: the declared field's, else that of the map's values.
    pub(crate) fn field(self, name: &str) -> Option<TypeRef<'a>> {
        match self.shape() {
            TypeShape::Object { fields, values, .. } => {
                fields.get(name).map(|field| field.type_id).or(*values).map(|id| self.sibling(id))
            }
            _ => None,
        }
    }

    /// Whether the field of that name is an object that is always there, if only empty.
    pub(crate) fn is_always_there(self, name: &str) -> bool {
        let is_never_unset = |field: &SchemaField| field.presence != FieldPresence::WhenSet;
        let is_struct = |found: TypeRef<'_>| matches!(found.shape(), TypeShape::Object { fields, .. } if !fields.is_empty());
        self.declared(name).is_some_and(is_never_unset) && self.field(name).is_some_and(is_struct)
    }

    /// The type of a list's items.
    pub(crate) fn items(self) -> Option<TypeRef<'a>> {
        match self.shape() {
            TypeShape::List { items, .. } => Some(self.sibling(*items)),
            _ => None,
        }
    }

    /// Whether values are owned and replaced as a whole.
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
    /// The type of a resource's objects.
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

    /// The type of a whole object, where it is described.
    pub(crate) fn root(&self) -> Option<TypeRef<'_>> {
        match self {
            Self::Builtin(root) => Some(*root),
            Self::Custom(schemas, root) => Some(schemas.at(*root)),
            Self::Unknown => None,
        }
    }
}
