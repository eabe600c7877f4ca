//! How controllers break: pairs of a faulty controller and its corrected sibling. The simulation finds each faulty one, and
//! the sibling passes the same exploration. docs/gallery.md describes each pair.

mod crashes;
mod deletion;
mod drift;
mod order;
mod recovery;
pub(crate) mod site;
mod stale;

use std::sync::Arc;
use std::time::Instant;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use tidings::controller::{Action, Context, Controller, Error, Request};
use tidings_sim::{Sim, explore};

use self::site::{Site, one_site};

/// Whether a controller has the fault of its pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    Faulty,
    Correct,
}

/// Each faulty controller is found within so many executions. They take less than 10 s on two cores: see the speed in
/// docs/simulation.md.
const FOUND_WITHIN: usize = 300;

/// Explores both variants: the faulty one breaks `rule`, its sibling breaks none.
pub(crate) fn pair(rule: impl ToString, setup: impl Fn(Variant, &mut Sim) + Clone + Send + Sync + 'static) {
    let rule = rule.to_string();
    let (faulty, correct) = (setup.clone(), setup);
    let started = now();
    let failure = explore(move |sim| faulty(Variant::Faulty, sim)).expect_err("the faulty controller passes");
    let found_in = started.elapsed();
    println!("--- found in {found_in:.1?}\n{failure}");
    assert_eq!(failure.rule(), rule, "{failure}");
    let executions = failure.report().expect("a rule is broken").executions;
    assert!(executions < FOUND_WITHIN, "it took {executions} executions");
    let passed = explore(move |sim| {
        correct(Variant::Correct, sim);
        sim.random_executions(20);
    });
    match passed {
        Ok(report) => println!("--- the corrected controller\n{report}"),
        Err(failure) => panic!("the corrected controller fails:\n{failure}"),
    }
}

#[allow(clippy::disallowed_methods, reason = "the time that an exploration takes is real time")]
fn now() -> Instant {
    Instant::now()
}

/// A pair whose controllers own pods and config maps of one site, and differ only in how they reconcile it.
pub(crate) fn site_pair<R>(rule: impl ToString, reconcile: fn(Variant, Arc<Site>, Context) -> R)
where
    R: Future<Output = Result<Action, Error>> + Send + 'static,
{
    pair(rule, move |variant, sim| {
        one_site(sim);
        sim.controller(move |_| site_controller(variant, reconcile));
    });
}

pub(crate) fn site_controller<R>(
    variant: Variant,
    reconcile: fn(Variant, Arc<Site>, Context) -> R,
) -> Controller
where
    R: Future<Output = Result<Action, Error>> + Send + 'static,
{
    let builder = Controller::for_kind::<Site>("site").owns::<Pod>().owns::<ConfigMap>();
    builder.reconcile(move |request: Request, context: Context| async move {
        match context.get::<Site>(&request).await? {
            Some(site) => reconcile(variant, site, context).await,
            None => Ok(Action::await_change()),
        }
    })
}
