//! The operators: collections made of collections.

use std::fmt::Display;
use std::sync::Arc;

use super::{Collection, CollectionIndex};
use crate::element::{Element, Value};
use crate::evaluation_context::EvaluationContext;
use crate::node::transform::{Evaluate, OnFailure, Outputs, Route, RouteKeys, Transform};
use crate::shared::GraphShared;
use crate::tracked::Tracked;

/// What the function of `map` returns: an `Option`, or a `Result` of one.
pub trait IntoOutput {
    /// The type of the output.
    type Output;
    #[doc(hidden)]
    fn into_output(self) -> Result<Option<Self::Output>, String>;
}

impl<O> IntoOutput for Option<O> {
    type Output = O;
    fn into_output(self) -> Result<Option<O>, String> {
        Ok(self)
    }
}

impl<O, R: Display> IntoOutput for Result<Option<O>, R> {
    type Output = O;
    fn into_output(self) -> Result<Option<O>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// What the function of `map_many` returns: a `Vec`, or a `Result` of one.
pub trait IntoOutputs {
    /// The type of each output.
    type Output;
    #[doc(hidden)]
    fn into_outputs(self) -> Result<Vec<Self::Output>, String>;
}

impl<O> IntoOutputs for Vec<O> {
    type Output = O;
    fn into_outputs(self) -> Result<Vec<O>, String> {
        Ok(self)
    }
}

impl<O, R: Display> IntoOutputs for Result<Vec<O>, R> {
    type Output = O;
    fn into_outputs(self) -> Result<Vec<O>, String> {
        self.map_err(|error| error.to_string())
    }
}

/// The name and the options of a computed collection. A text is a name with default options.
///
/// ```
/// use tidings_derived::{OnFailure, Transformation};
///
/// let options = Transformation::named("routes").on_failure(OnFailure::Remove);
/// ```
#[derive(Debug, Clone)]
pub struct Transformation {
    name: String,
    on_failure: OnFailure,
}

impl Transformation {
    /// Names the collection in logs, metrics and errors.
    pub fn named(name: impl Into<String>) -> Self {
        Transformation { name: name.into(), on_failure: OnFailure::default() }
    }

    /// What happens to the outputs of a key whose evaluation fails. By default the last ones stay.
    #[must_use]
    pub fn on_failure(mut self, on_failure: OnFailure) -> Self {
        self.on_failure = on_failure;
        self
    }
}

impl From<&str> for Transformation {
    fn from(name: &str) -> Self {
        Transformation::named(name)
    }
}

impl From<String> for Transformation {
    fn from(name: String) -> Self {
        Transformation::named(name)
    }
}

impl<E: Element> Collection<E> {
    /// At most one output for each element. The function may read other collections through its context. It must be
    /// pure: its result depends only on what it reads.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Node, Pod};
    /// use tidings_derived::Collection;
    /// use tidings_object::Object;
    ///
    /// fn zones(pods: &Collection<Object<Pod>>, nodes: &Collection<Object<Node>>) -> Collection<(String, String)> {
    ///     let nodes = nodes.clone();
    ///     pods.map("zones", move |cx, pod| {
    ///         let node = cx.get(&nodes, &pod.field_text(".spec.nodeName")?)?;
    ///         let zone = node.label("topology.kubernetes.io/zone")?;
    ///         Some((pod.key().into_owned(), zone.to_owned()))
    ///     })
    /// }
    /// ```
    pub fn map<R, F>(&self, options: impl Into<Transformation>, function: F) -> Collection<R::Output>
    where
        R: IntoOutput<Output: Element>,
        F: for<'a> Fn(&EvaluationContext<'a>, &Tracked<'a, E>) -> R + Send + 'static,
    {
        let inputs = self.clone();
        let evaluate: Evaluate<R::Output> = Box::new(move |cx, key| {
            let input = cx.input(&inputs, key)?;
            Some(function(cx, &input).into_output().map(computed))
        });
        self.derive(options.into(), "map", RouteKeys::Each(self.id()), evaluate)
    }

    /// Any number of outputs for each element.
    pub fn map_many<R, F>(&self, options: impl Into<Transformation>, function: F) -> Collection<R::Output>
    where
        R: IntoOutputs<Output: Element>,
        F: for<'a> Fn(&EvaluationContext<'a>, &Tracked<'a, E>) -> R + Send + 'static,
    {
        let inputs = self.clone();
        let evaluate: Evaluate<R::Output> = Box::new(move |cx, key| {
            let input = cx.input(&inputs, key)?;
            Some(function(cx, &input).into_outputs().map(computed))
        });
        self.derive(options.into(), "map_many", RouteKeys::Each(self.id()), evaluate)
    }

    /// The elements that match.
    pub fn filter<F>(&self, options: impl Into<Transformation>, matches: F) -> Collection<E>
    where
        F: for<'a> Fn(&EvaluationContext<'a>, &Tracked<'a, E>) -> bool + Send + 'static,
    {
        let inputs = self.clone();
        let evaluate: Evaluate<E> = Box::new(move |cx, key| {
            let input = cx.input(&inputs, key)?;
            // The value itself, not a copy of it.
            Some(Ok(matches(cx, &input).then(|| input.value().clone()).into_iter().collect()))
        });
        self.derive(options.into(), "filter", RouteKeys::Each(self.id()), evaluate)
    }

    /// At most one output for each group of elements. `group` returns the groups of an element, as an index does. The
    /// function gets the name of the group and its elements, sorted by key, at least one.
    pub fn group_by<R, G, F>(
        &self,
        options: impl Into<Transformation>,
        group: G,
        function: F,
    ) -> Collection<R::Output>
    where
        R: IntoOutput<Output: Element>,
        G: Fn(&E) -> Vec<String> + Send + Sync + 'static,
        F: for<'a> Fn(&EvaluationContext<'a>, &str, &[Tracked<'a, E>]) -> R + Send + 'static,
    {
        let index = self.index(group);
        let route = RouteKeys::Groups(self.id(), index.number());
        let evaluate: Evaluate<R::Output> = Box::new(move |cx, name| {
            let members = cx.input_group(&index, name);
            if members.is_empty() {
                return None;
            }
            Some(function(cx, name, &members).into_output().map(computed))
        });
        self.derive(options.into(), "group_by", route, evaluate)
    }

    /// Joins each element with the elements of another collection that have a value in an index. `on` returns the value,
    /// and the function gets both sides; the right one is empty if nothing matches.
    pub fn join<R, T, K, F>(
        &self,
        options: impl Into<Transformation>,
        right: &CollectionIndex<T>,
        on: K,
        function: F,
    ) -> Collection<R::Output>
    where
        R: IntoOutputs<Output: Element>,
        T: Element,
        K: for<'a> Fn(&Tracked<'a, E>) -> Option<String> + Send + 'static,
        F: for<'a> Fn(&EvaluationContext<'a>, &Tracked<'a, E>, &[Tracked<'a, T>]) -> R + Send + 'static,
    {
        let (inputs, right) = (self.clone(), right.clone());
        let evaluate: Evaluate<R::Output> = Box::new(move |cx, key| {
            let input = cx.input(&inputs, key)?;
            let matching = on(&input).map(|value| cx.by_index(&right, &value)).unwrap_or_default();
            Some(function(cx, &input, &matching).into_outputs().map(computed))
        });
        self.derive(options.into(), "join", RouteKeys::Each(self.id()), evaluate)
    }

    /// The elements of this collection and of others. If several have a key, `rule` makes one element of theirs, in the
    /// order of the collections, or none.
    ///
    /// ```
    /// use tidings_derived::Collection;
    ///
    /// fn example(ours: &Collection<(String, u32)>, theirs: &Collection<(String, u32)>) -> Collection<(String, u32)> {
    ///     ours.union("all", [theirs], |same_key| Some((*same_key[0]).clone())) // the first one wins
    /// }
    /// ```
    pub fn union<'c>(
        &self,
        options: impl Into<Transformation>,
        others: impl IntoIterator<Item = &'c Collection<E>>,
        rule: impl Fn(&[Value<E>]) -> Option<E> + Send + 'static,
    ) -> Collection<E> {
        let all: Vec<Collection<E>> =
            std::iter::once(self.clone()).chain(others.into_iter().cloned()).collect();
        // A collection of another graph has a number of that graph. Each evaluation reports it.
        let own = all.iter().filter(|one| one.graph_id() == self.graph_id());
        let route = RouteKeys::Union(own.map(Collection::id).collect());
        let evaluate: Evaluate<E> = Box::new(move |cx, key| {
            let found: Vec<_> =
                all.iter().filter_map(|one| cx.input(one, key)).map(|found| found.value().clone()).collect();
            match &found[..] {
                [] => None,
                [one] => Some(Ok(std::iter::once(one.clone()).collect())),
                several => Some(Ok(computed(rule(several)))),
            }
        });
        self.derive(options.into(), "union", route, evaluate)
    }

    fn derive<O: Element>(
        &self,
        options: Transformation,
        operator: &'static str,
        route: RouteKeys,
        evaluate: Evaluate<O>,
    ) -> Collection<O> {
        derive(&self.graph, options, operator, route, evaluate)
    }
}

/// The outputs of a function as values of a collection.
pub(crate) fn computed<O: Element>(outputs: impl IntoIterator<Item = O>) -> Outputs<O> {
    outputs.into_iter().map(Value::computed).collect()
}

pub(crate) fn derive<O: Element>(
    graph: &Arc<GraphShared>,
    options: Transformation,
    operator: &'static str,
    route: RouteKeys,
    evaluate: Evaluate<O>,
) -> Collection<O> {
    let Transformation { name, on_failure } = options;
    let seed = graph.config.seed;
    let added = graph.add_node(&name, operator, None, |shared| {
        Box::new(Transform::new(shared, Route::from(route), evaluate, on_failure, seed))
    });
    Collection::new(graph, added)
}
