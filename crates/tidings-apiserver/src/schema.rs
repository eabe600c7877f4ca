//! What is known about the shape of a kind: field types, how its lists are keyed, how its fields are patched.
//!
//! Strategic merge patch, server-side apply and the OpenAPI documents all read this one table. It describes; it never
//! refuses an object: an unknown field is simply untyped, and untyped maps merge key by key, untyped lists as a whole.

use std::collections::{BTreeMap, HashMap};

use crate::resource::ResourceDef;

pub mod builtin;
pub mod custom;

/// The types of one document: those of all built-in kinds, or those of one version of a custom resource.
#[derive(Debug, Default)]
pub struct Schemas {
    types: Vec<Type>,
    by_name: BTreeMap<String, TypeId>,
    by_kind: HashMap<KindName, TypeId>,
}

/// Where a type stands in its [`Schemas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeId(usize);

/// Group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KindName {
    /// The API group, empty for the core group.
    pub group: String,
    /// The version within the group.
    pub version: String,
    /// The kind, as in an object's `kind` field.
    pub kind: String,
}

/// One type: its name where it has one, and its shape.
#[derive(Clone, Debug)]
pub struct Type {
    /// The name in the table, such as `core.v1.Container`; inline types have none.
    pub name: Option<String>,
    /// Group, version and kind, for types that are kinds.
    pub kind: Option<KindName>,
    /// What values of the type look like.
    pub shape: Shape,
}

/// What values of a type look like.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Anything at all.
    Any,
    /// A string, number or boolean.
    Scalar(Scalar),
    /// A struct (named fields), a map (`values`), or both.
    Object {
        /// The fields with a type of their own.
        fields: BTreeMap<String, Field>,
        /// The type of all other fields; none where they are not described.
        values: Option<TypeId>,
        /// Whether it is owned and replaced as a whole.
        is_atomic: bool,
    },
    /// A list.
    List {
        /// The type of its items.
        items: TypeId,
        /// How an item is told from another.
        keyed: Keyed,
    },
}

/// How the items of a list are told apart when two writers' lists are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// They are not: the list is replaced as a whole.
    Atomic,
    /// By their value.
    Set,
    /// By the values of these fields.
    Map(Vec<String>),
}

/// The scalar types, by the format OpenAPI gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
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
pub struct Field {
    /// The field's type.
    pub type_id: TypeId,
    /// Whether an object without it is invalid.
    pub is_required: bool,
    /// How a strategic merge patch treats it.
    pub patch: PatchStrategy,
    /// The value the server takes when it is a list key and left out.
    pub default: Option<String>,
    /// When JSON shows it.
    pub presence: Presence,
}

/// When the JSON of an object shows a field: what a real server's struct can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Always, zeros too.
    Always,
    /// Unless it is zero; an object with fields of its own never is, however empty.
    UnlessZero,
    /// When it was set, if only to zero.
    WhenSet,
}

/// How a strategic merge patch treats a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchStrategy {
    /// A list: items are merged, by this key where they are objects.
    pub merge: Option<Option<String>>,
    /// The patch's object replaces the field.
    pub replaces: bool,
    /// The patch may name the only keys to keep (`$retainKeys`).
    pub retains_keys: bool,
}

/// A type together with the table it refers to.
#[derive(Clone, Copy, Debug)]
pub struct TypeRef<'a> {
    schemas: &'a Schemas,
    id: TypeId,
}

/// The type of a resource's objects, wherever it comes from.
#[derive(Debug)]
pub enum KindSchema {
    /// A built-in kind's.
    Builtin(TypeRef<'static>),
    /// A custom resource's, from its definition.
    Custom(Schemas, TypeId),
    /// Not described.
    Unknown,
}

impl Schemas {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type, and answers where it stands.
    pub fn add(&mut self, shape: Shape) -> TypeId {
        self.types.push(Type { name: None, kind: None, shape });
        TypeId(self.types.len() - 1)
    }

    /// The type of a kind.
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<TypeRef<'_>> {
        let name = KindName { group: group.into(), version: version.into(), kind: kind.into() };
        self.by_kind.get(&name).map(|&id| self.at(id))
    }

    /// The type of that name.
    pub fn named(&self, name: &str) -> Option<TypeRef<'_>> {
        self.by_name.get(name).map(|&id| self.at(id))
    }

    /// All types that have a name, in the order of their names.
    pub fn all_named(&self) -> impl Iterator<Item = TypeRef<'_>> {
        self.by_name.values().map(|&id| self.at(id))
    }

    /// A type of this table.
    pub fn at(&self, id: TypeId) -> TypeRef<'_> {
        TypeRef { schemas: self, id }
    }

    fn declare(&mut self, name: &str) -> TypeId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = self.add(Shape::Any);
        self.types[id.0].name = Some(name.to_owned());
        self.by_name.insert(name.to_owned(), id);
        id
    }

    fn set_kind(&mut self, id: TypeId, kind: KindName) {
        self.types[id.0].kind = Some(kind.clone());
        self.by_kind.insert(kind, id);
    }

    fn set_shape(&mut self, id: TypeId, shape: Shape) {
        self.types[id.0].shape = shape;
    }
}

impl<'a> TypeRef<'a> {
    /// Name, kind and shape.
    pub fn described(self) -> &'a Type {
        &self.schemas.types[self.id.0]
    }

    /// What values look like.
    pub fn shape(self) -> &'a Shape {
        &self.described().shape
    }

    /// Another type of the same table.
    pub fn sibling(self, id: TypeId) -> TypeRef<'a> {
        self.schemas.at(id)
    }

    /// The declared field of that name, if any.
    pub fn declared(self, name: &str) -> Option<&'a Field> {
        match self.shape() {
            Shape::Object { fields, .. } => fields.get(name),
            _ => None,
        }
    }

    /// The type of what stands under `name`: the declared field's, else that of the map's values.
    pub fn field(self, name: &str) -> Option<TypeRef<'a>> {
        match self.shape() {
            Shape::Object { fields, values, .. } => {
                fields.get(name).map(|field| field.type_id).or(*values).map(|id| self.sibling(id))
            }
            _ => None,
        }
    }

    /// Whether the field of that name is an object that is always there, if only empty.
    pub fn is_always_there(self, name: &str) -> bool {
        let is_never_unset = |field: &Field| field.presence != Presence::WhenSet;
        let is_struct =
            |found: TypeRef<'_>| matches!(found.shape(), Shape::Object { fields, .. } if !fields.is_empty());
        self.declared(name).is_some_and(is_never_unset) && self.field(name).is_some_and(is_struct)
    }

    /// The type of a list's items.
    pub fn items(self) -> Option<TypeRef<'a>> {
        match self.shape() {
            Shape::List { items, .. } => Some(self.sibling(*items)),
            _ => None,
        }
    }

    /// Whether values are owned and replaced as a whole.
    pub fn is_atomic(self) -> bool {
        match self.shape() {
            Shape::Object { is_atomic, .. } => *is_atomic,
            Shape::List { keyed, .. } => *keyed == Keyed::Atomic,
            Shape::Scalar(_) => true,
            Shape::Any => false,
        }
    }
}

impl KindSchema {
    /// The type of a resource's objects.
    pub fn of(def: &ResourceDef) -> Self {
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
    pub fn root(&self) -> Option<TypeRef<'_>> {
        match self {
            Self::Builtin(root) => Some(*root),
            Self::Custom(schemas, root) => Some(schemas.at(*root)),
            Self::Unknown => None,
        }
    }
}
