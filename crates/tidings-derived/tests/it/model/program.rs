//! A random program: a list of collections, each made of those before it.

use std::borrow::Cow;
use std::sync::Arc;

use rand::Rng;
use rand::rngs::SmallRng;
use serde_json::Value as Json;
use tidings_derived::{
    Collection, CollectionIndex, EvaluationContext, Graph, Keyed, OnFailure, Tracked, Transformation,
};
use tidings_object::{LabelSelector, Object};

use super::APPS;

/// What the collections of a program hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) key: String,
    pub(crate) group: String,
    pub(crate) app: String,
    pub(crate) parts: Vec<String>,
}

impl Keyed for Item {
    fn key(&self) -> Cow<'_, str> {
        self.key.as_str().into()
    }

    fn label(&self, key: &str) -> Option<&str> {
        (key == "app").then_some(&self.app)
    }
}

/// What a function reads besides its input.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Read {
    Nothing,
    /// An object by the key in a field of the input, and of it a field and a label.
    Object(usize),
    /// Objects by a label, and of each a field.
    ObjectsByApp(usize),
    Item(usize),
    ByGroup(usize),
    ByApp(usize),
    ByAppIn(usize),
    List(usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Operator {
    FromObjects { from: usize, is_many: bool },
    FromItems { from: usize, is_many: bool },
    Filter { from: usize },
    Group { from: usize },
    Union { one: usize, other: usize },
    Single,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) operator: Operator,
    pub(crate) read: Read,
    /// Output keys are shortened, so that several inputs produce the same key.
    pub(crate) has_duplicates: bool,
    /// Some evaluations fail, or panic.
    pub(crate) fails: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
}

impl Program {
    pub(crate) fn random(random: &mut SmallRng) -> Self {
        let mut steps = Vec::new();
        for at in 0..random.random_range(2..9) {
            steps.push(Self::step(random, at));
        }
        Program { steps }
    }

    fn step(random: &mut SmallRng, at: usize) -> Step {
        let objects = random.random_range(0..2);
        let is_many = random.random_bool(0.4);
        let below = |random: &mut SmallRng| random.random_range(0..at);
        let operator = match random.random_range(0..10) {
            _ if at == 0 => Operator::FromObjects { from: objects, is_many },
            0..=2 => Operator::FromObjects { from: objects, is_many },
            3..=5 => Operator::FromItems { from: below(random), is_many },
            6 => Operator::Filter { from: below(random) },
            7 => Operator::Group { from: below(random) },
            8 => Operator::Union { one: below(random), other: below(random) },
            _ => Operator::Single,
        };
        let read = match random.random_range(0..9) {
            0 => Read::Nothing,
            1 | 2 => Read::Object(random.random_range(0..2)),
            3 => Read::ObjectsByApp(random.random_range(0..2)),
            _ if at == 0 => Read::Nothing,
            4 => Read::Item(below(random)),
            5 => Read::ByGroup(below(random)),
            6 => Read::ByApp(below(random)),
            7 => Read::ByAppIn(below(random)),
            _ => Read::List(below(random)),
        };
        Step { operator, read, has_duplicates: random.random_bool(0.15), fails: random.random_bool(0.15) }
    }
}

/// What functions see: through the context of a graph, or of plain maps.
pub(crate) trait View {
    /// A field and a label of an object.
    fn object(&self, objects: usize, key: &str) -> Option<(Option<String>, Option<String>)>;
    /// The keys and a field of the objects with a label.
    fn objects_by_app(&self, objects: usize, app: &str) -> Vec<(String, Option<String>)>;
    fn item(&self, items: usize, key: &str) -> Option<Item>;
    fn by_group(&self, items: usize, group: &str) -> Vec<Item>;
    fn by_app(&self, items: usize, namespace: Option<&str>, app: &str) -> Vec<Item>;
    fn list(&self, items: usize) -> Vec<Item>;
}

impl Step {
    /// The outputs for an object of which these parts were read.
    pub(crate) fn of_object(
        &self,
        key: &str,
        node: Option<String>,
        app: Option<String>,
        view: &dyn View,
    ) -> Result<Vec<Item>, String> {
        let group = node.clone().unwrap_or_default();
        let input = Item {
            key: key.to_owned(),
            group,
            app: app.unwrap_or_default(),
            parts: node.into_iter().collect(),
        };
        self.of_item(&input, view)
    }

    pub(crate) fn of_item(&self, input: &Item, view: &dyn View) -> Result<Vec<Item>, String> {
        let mut parts: Vec<String> = input.parts.iter().take(4).cloned().collect();
        let brief = |item: &Item| format!("{}={}", item.key, item.parts.len());
        match self.read {
            Read::Nothing => {}
            Read::Object(objects) => parts.push(format!("{:?}", view.object(objects, &input.group))),
            Read::ObjectsByApp(objects) => {
                parts.extend(
                    view.objects_by_app(objects, &input.app).into_iter().map(|found| format!("{found:?}")),
                );
            }
            Read::Item(items) => parts.extend(view.item(items, &input.group).as_ref().map(brief)),
            Read::ByGroup(items) => parts.extend(view.by_group(items, &input.group).iter().map(brief)),
            Read::ByApp(items) => parts.extend(view.by_app(items, None, &input.app).iter().map(brief)),
            Read::ByAppIn(items) => {
                let namespace = input.key.split('/').next();
                parts.extend(view.by_app(items, namespace, &input.app).iter().map(brief));
            }
            Read::List(items) => parts.push(view.list(items).len().to_string()),
        }
        let weight: usize = parts.iter().map(String::len).sum();
        match weight % 11 {
            1 if self.fails => return Err(format!("weight {weight}")),
            2 if self.fails => panic!("weight {weight}"),
            _ => {}
        }
        let key = match self.has_duplicates {
            true => input.key[..input.key.len().min(3)].to_owned(),
            false => input.key.clone(),
        };
        let item = |key: String, app: &str| Item {
            key,
            group: input.group.clone(),
            app: app.to_owned(),
            parts: parts.clone(),
        };
        Ok(match (self.is_many(), weight % 5) {
            (_, 0) => Vec::new(),
            (false, _) => vec![item(key, &input.app)],
            (true, n) => (0..n).map(|n| item(format!("{key}-{n}"), APPS[n % 4])).collect(),
        })
    }

    fn is_many(&self) -> bool {
        matches!(
            self.operator,
            Operator::FromObjects { is_many: true, .. } | Operator::FromItems { is_many: true, .. }
        )
    }

    pub(crate) fn keeps(item: &Item) -> bool {
        item.parts.len().is_multiple_of(2)
    }

    pub(crate) fn of_group(
        &self,
        name: &str,
        members: &[Item],
        view: &dyn View,
    ) -> Result<Vec<Item>, String> {
        let parts = members.iter().map(|member| member.key.clone()).collect();
        let app = members.first().map(|first| first.app.clone()).unwrap_or_default();
        self.of_item(&Item { key: name.to_owned(), group: name.to_owned(), app, parts }, view)
    }

    pub(crate) fn merge(same_key: &[Item]) -> Option<Item> {
        let first = same_key.first()?;
        let parts = same_key.iter().flat_map(|item| item.parts.iter().take(3).cloned()).collect::<Vec<_>>();
        (parts.len() != 3).then(|| Item { parts, ..first.clone() })
    }
}

/// A view through the context of a graph.
struct CxView<'c, 'a> {
    cx: &'c EvaluationContext<'a>,
    objects: &'c [Collection<Object<Json>>],
    items: &'c [(Collection<Item>, CollectionIndex<Item>)],
}

fn owned(items: Vec<Tracked<'_, Item>>) -> Vec<Item> {
    items.iter().map(|item| Item::clone(item)).collect()
}

fn app_is(app: &str) -> LabelSelector {
    LabelSelector::from_iter([("app", app)])
}

impl View for CxView<'_, '_> {
    fn object(&self, objects: usize, key: &str) -> Option<(Option<String>, Option<String>)> {
        let object = self.cx.get(&self.objects[objects], key)?;
        let ip = object.field_text(".status.podIP");
        // Of some objects the label is read too, so that the read sets differ.
        let app =
            ip.as_ref().filter(|ip| ip.ends_with('1')).and_then(|_| object.label("app").map(str::to_owned));
        Some((ip, app))
    }

    fn objects_by_app(&self, objects: usize, app: &str) -> Vec<(String, Option<String>)> {
        let found = self.cx.select(&self.objects[objects], &app_is(app));
        found.iter().map(|object| (object.key().into_owned(), object.field_text(".status.podIP"))).collect()
    }

    fn item(&self, items: usize, key: &str) -> Option<Item> {
        self.cx.get(&self.items[items].0, key).map(|item| Item::clone(&item))
    }

    fn by_group(&self, items: usize, group: &str) -> Vec<Item> {
        owned(self.cx.by_index(&self.items[items].1, group))
    }

    fn by_app(&self, items: usize, namespace: Option<&str>, app: &str) -> Vec<Item> {
        owned(match namespace {
            None => self.cx.select(&self.items[items].0, &app_is(app)),
            Some(namespace) => self.cx.select_in(&self.items[items].0, namespace, &app_is(app)),
        })
    }

    fn list(&self, items: usize) -> Vec<Item> {
        // Only the keys are read, so that this depends on the keys alone.
        let keys = self.cx.list(&self.items[items].0);
        let item = |key: &Tracked<'_, Item>| Item {
            key: key.key().into_owned(),
            group: String::new(),
            app: String::new(),
            parts: Vec::new(),
        };
        keys.iter().map(item).collect()
    }
}

/// Makes the collections of a program.
pub(crate) fn build(
    program: &Program,
    objects: &[Collection<Object<Json>>],
    graph: &Graph,
) -> Vec<Collection<Item>> {
    let mut made: Vec<(Collection<Item>, CollectionIndex<Item>)> = Vec::new();
    for (at, step) in program.steps.iter().enumerate() {
        let step = *step;
        let options = Transformation::named(format!("step-{at}")).on_failure(OnFailure::Remove);
        let (inputs, below): (Arc<[_]>, Arc<[_]>) = (objects.into(), made.as_slice().into());
        let collection = match step.operator {
            Operator::FromObjects { from, .. } => objects[from].map_many(options, move |cx, object| {
                let view = CxView { cx, objects: &inputs, items: &below };
                let (node, app) =
                    (object.field_text(".spec.nodeName"), object.label("app").map(str::to_owned));
                step.of_object(&object.key(), node, app, &view)
            }),
            Operator::FromItems { from, .. } => made[from].0.map_many(options, move |cx, item| {
                step.of_item(item, &CxView { cx, objects: &inputs, items: &below })
            }),
            Operator::Filter { from } => made[from].0.filter(options, |_, item| Step::keeps(item)),
            Operator::Group { from } => made[from].0.group_by(
                options,
                |item| vec![item.group.clone()],
                move |cx, name, members| {
                    let members: Vec<Item> = members.iter().map(|member| Item::clone(member)).collect();
                    let view = CxView { cx, objects: &inputs, items: &below };
                    step.of_group(name, &members, &view).map(|mut outputs| outputs.pop())
                },
            ),
            Operator::Union { one, other } => made[one].0.union(options, [&made[other].0], |same_key| {
                let items: Vec<Item> = same_key.iter().map(|item| Item::clone(item)).collect();
                Step::merge(&items)
            }),
            Operator::Single => graph.singleton(options, move |cx| {
                let view = CxView { cx, objects: &inputs, items: &below };
                step.of_group("n1/o1", &[], &view).map(|mut outputs| outputs.pop())
            }),
        };
        let by_group = collection.index(|item| vec![item.group.clone()]);
        made.push((collection, by_group));
    }
    made.into_iter().map(|(collection, _)| collection).collect()
}
