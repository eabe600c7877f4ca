//! Random programs of collections over random changes. After every step each collection must equal what the functions
//! give when they are evaluated from scratch, over the very inputs of the published state.

mod program;
mod scratch;
mod under_faults;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};
use tidings_derived::{Collection, CollectionNotification, Feed, GraphSnapshot};
use tidings_object::Object;

use crate::fixture::{Objects, RunningGraph};
use program::{Item, Program, build};

pub(crate) const APPS: [&str; 4] = ["web", "db", "cache", "queue"];

/// What a handler knows from its notifications alone.
#[derive(Default)]
pub(crate) struct HandlerView {
    pub(crate) items: BTreeMap<String, Item>,
    wrong: Vec<String>,
}

impl HandlerView {
    pub(crate) fn receive(&mut self, notification: &CollectionNotification<Item>) {
        let key = notification.key().into_owned();
        if self.items.get(&key) != notification.old().map(|old| &**old) {
            self.wrong.push(format!(
                "{key}: {:?} but the last one was {:?}",
                notification,
                self.items.get(&key)
            ));
        }
        if notification.old().is_some_and(|old| notification.new().is_some_and(|new| **old == **new)) {
            self.wrong.push(format!("{key}: an update without a change"));
        }
        match notification.new() {
            Some(new) => drop(self.items.insert(key, Item::clone(new))),
            None => drop(self.items.remove(&key)),
        }
    }
}

/// A program in a graph, with its inputs and a handler for each collection.
pub(crate) struct ProgramRun {
    pub(crate) program: Program,
    pub(crate) objects: Vec<Collection<Object<Json>>>,
    pub(crate) items: Vec<Collection<Item>>,
    pub(crate) views: Vec<Arc<Mutex<HandlerView>>>,
}

impl ProgramRun {
    pub(crate) fn new(
        program: Program,
        objects: Vec<Collection<Object<Json>>>,
        graph: &tidings_derived::Graph,
    ) -> Self {
        let items = build(&program, &objects, graph);
        let views = items.iter().map(|collection| {
            let view = Arc::new(Mutex::new(HandlerView::default()));
            let own = Arc::clone(&view);
            collection.add_handler("view", move |notification| own.lock().receive(notification)).unwrap();
            view
        });
        ProgramRun { views: views.collect(), program, objects, items }
    }

    /// Compares one published state with the evaluation from scratch.
    pub(crate) fn check(&self, snapshot: &GraphSnapshot, context: &str) -> bool {
        let inputs: Result<Vec<_>, _> = self.objects.iter().map(|objects| snapshot.of(objects)).collect();
        let Ok(inputs) = inputs else { return false };
        let inputs: Vec<BTreeMap<String, Object<Json>>> = inputs
            .iter()
            .map(|snapshot| {
                snapshot.list().iter().map(|one| (one.key().into_owned(), Object::clone(one))).collect()
            })
            .collect();
        let expected = scratch::evaluate(&self.program, &inputs);
        for (at, collection) in self.items.iter().enumerate() {
            let found = snapshot.of(collection).expect("its inputs have synced");
            let found: BTreeMap<String, Item> =
                found.list().iter().map(|one| (one.key().into_owned(), Item::clone(one))).collect();
            assert_eq!(found, expected[at], "collection {at} of {:#?}\n{context}", self.program);
        }
        true
    }

    /// Compares what the handlers know with the newest state. All notifications must have been delivered.
    pub(crate) fn check_views(&self, context: &str) {
        for (at, view) in self.views.iter().enumerate() {
            let view = view.lock();
            assert_eq!(view.wrong, Vec::<String>::new(), "handler {at} of {:#?}\n{context}", self.program);
            let list = self.items[at].lister().list();
            let known: BTreeMap<String, Item> =
                list.iter().map(|one| (one.key().into_owned(), Item::clone(one))).collect();
            assert_eq!(view.items, known, "handler {at} of {:#?}\n{context}", self.program);
        }
    }
}

pub(crate) fn random_object(random: &mut SmallRng, name: u32) -> Json {
    let number = |random: &mut SmallRng, below: u32| random.random_range(0..below);
    json!({
        "metadata": {
            "name": format!("o{name}"),
            "namespace": format!("n{}", name % 2),
            "labels": { "app": APPS[number(random, 4) as usize] },
        },
        "spec": { "nodeName": format!("n{}/o{}", number(random, 2), number(random, 6)), "containers": [] },
        "status": { "podIP": format!("10.0.0.{}", number(random, 5)), "message": number(random, 1000).to_string() },
    })
}

fn change(random: &mut SmallRng, objects: &Objects, feeds: &[Feed<Object<Json>>]) {
    let feed = &feeds[random.random_range(0..feeds.len())];
    let name = random.random_range(0..8);
    match random.random_range(0..10) {
        0 => feed.remove(&format!("n{}/o{name}", name % 2)),
        1 => {
            let all = (0..8).filter(|_| random.random_bool(0.5)).collect::<Vec<_>>();
            feed.replace(all.into_iter().map(|name| objects.object(random_object(random, name))));
        }
        _ => feed.set(objects.object(random_object(random, name))),
    }
}

async fn run(seed: u64, steps: usize) {
    let mut random = SmallRng::seed_from_u64(seed);
    let running = RunningGraph::new();
    let objects = Objects::new();
    let (feeds, inputs): (Vec<_>, Vec<_>) =
        (0..2).map(|at| running.graph.feed(&format!("objects-{at}"))).unzip();
    let program = ProgramRun::new(Program::random(&mut random), inputs, &running.graph);
    feeds.iter().for_each(Feed::complete);
    for step in 0..steps {
        for _ in 0..random.random_range(1..6) {
            change(&mut random, &objects, &feeds);
        }
        running.settled().await;
        let context = format!("seed {seed}, step {step}");
        assert!(program.check(&running.graph.snapshot(), &context), "{context}: not synced");
        if random.random_bool(0.3) {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            program.check_views(&context);
        }
    }
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    program.check_views(&format!("seed {seed}, at the end"));
}

/// `TIDINGS_DERIVED_STEPS` and `TIDINGS_DERIVED_SEED` make a longer run, or another one.
fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

// holds: V1, V6, V7, V11
#[tokio::test(start_paused = true)]
async fn random_programs_equal_their_evaluation_from_scratch_after_every_step() {
    let steps = from_environment("TIDINGS_DERIVED_STEPS", 600) as usize;
    let seed = from_environment("TIDINGS_DERIVED_SEED", 0);
    let per_program = 50;
    for program in 0..steps.div_ceil(per_program) as u64 {
        run(seed + program, per_program).await;
    }
}
