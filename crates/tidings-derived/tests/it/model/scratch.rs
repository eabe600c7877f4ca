//! Evaluates a program from scratch over plain maps.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value as Json;
use tidings_object::Object;

use super::program::{Item, Operator, Program, Step, View};

type ObjectMap = BTreeMap<String, Object<Json>>;
type ItemMap = BTreeMap<String, Item>;

struct PlainView<'a> {
    objects: &'a [ObjectMap],
    items: &'a [ItemMap],
}

fn text(object: &Object<Json>, path: &str) -> Option<String> {
    object.field(path).unwrap().text().map(std::borrow::Cow::into_owned)
}

impl View for PlainView<'_> {
    fn object(&self, objects: usize, key: &str) -> Option<(Option<String>, Option<String>)> {
        let object = self.objects[objects].get(key)?;
        let ip = text(object, ".status.podIP");
        let app = ip.as_ref().filter(|ip| ip.ends_with('1')).and_then(|_| object.labels().value("app"));
        let app = app.map(str::to_owned);
        Some((ip, app))
    }

    fn objects_by_app(&self, objects: usize, app: &str) -> Vec<(String, Option<String>)> {
        let found =
            self.objects[objects].iter().filter(|(_, object)| object.labels().value("app") == Some(app));
        found.map(|(key, object)| (key.clone(), text(object, ".status.podIP"))).collect()
    }

    fn item(&self, items: usize, key: &str) -> Option<Item> {
        self.items[items].get(key).cloned()
    }

    fn by_group(&self, items: usize, group: &str) -> Vec<Item> {
        self.items[items].values().filter(|item| item.group == group).cloned().collect()
    }

    fn by_app(&self, items: usize, namespace: Option<&str>, app: &str) -> Vec<Item> {
        let in_namespace = |item: &&Item| {
            namespace.is_none_or(|namespace| item.key.split_once('/').map(|(own, _)| own) == Some(namespace))
        };
        self.items[items].values().filter(in_namespace).filter(|item| item.app == app).cloned().collect()
    }

    fn list(&self, items: usize) -> Vec<Item> {
        self.items[items].values().cloned().collect()
    }
}

/// The outputs of every collection of a program.
pub(crate) fn evaluate(program: &Program, objects: &[ObjectMap]) -> Vec<ItemMap> {
    let mut items: Vec<ItemMap> = Vec::new();
    for step in &program.steps {
        let outputs = evaluate_step(step, &PlainView { objects, items: &items });
        items.push(outputs);
    }
    items
}

fn evaluate_step(step: &Step, view: &PlainView<'_>) -> ItemMap {
    let mut outputs = ItemMap::new();
    // The input with the lowest key wins, and of its outputs the first one.
    let mut add = |evaluated: &dyn Fn() -> Result<Vec<Item>, String>| {
        let found = catch_unwind(AssertUnwindSafe(evaluated)).unwrap_or_else(|_| Err("panic".to_owned()));
        for item in found.unwrap_or_default() {
            outputs.entry(item.key.clone()).or_insert(item);
        }
    };
    match step.operator {
        Operator::FromObjects { from, .. } => {
            for (key, object) in &view.objects[from] {
                let (node, app) =
                    (text(object, ".spec.nodeName"), object.labels().value("app").map(str::to_owned));
                add(&|| step.of_object(key, node.clone(), app.clone(), view));
            }
        }
        Operator::FromItems { from, .. } => {
            view.items[from].values().for_each(|item| add(&|| step.of_item(item, view)));
        }
        Operator::Filter { from } => {
            view.items[from]
                .values()
                .filter(|item| Step::keeps(item))
                .for_each(|item| add(&|| Ok(vec![item.clone()])));
        }
        Operator::Group { from } => {
            let mut groups: BTreeMap<String, Vec<Item>> = BTreeMap::new();
            for item in view.items[from].values() {
                groups.entry(item.group.clone()).or_default().push(item.clone());
            }
            for (name, members) in &groups {
                add(&|| {
                    step.of_group(name, members, view).map(|mut outputs| outputs.pop().into_iter().collect())
                });
            }
        }
        Operator::Union { one, other } => {
            let keys = view.items[one].keys().chain(view.items[other].keys());
            for key in keys.collect::<std::collections::BTreeSet<_>>() {
                let found: Vec<Item> =
                    [one, other].iter().filter_map(|at| view.items[*at].get(key)).cloned().collect();
                add(&|| {
                    Ok(match &found[..] {
                        [one] => vec![one.clone()],
                        several => Step::merge(several).into_iter().collect(),
                    })
                });
            }
        }
        Operator::Single => {
            add(&|| step.of_group("n1/o1", &[], view).map(|mut outputs| outputs.pop().into_iter().collect()));
        }
    }
    outputs
}
