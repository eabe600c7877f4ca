//! Deployments: replaces the pods of an old template by those of a new one, one ReplicaSet for each template.
//!
//! A rollback needs nothing of its own: a template that was used before is found again by comparison, and its
//! ReplicaSet gets the next revision. Pods belong to ReplicaSets; nothing here touches one.

mod arithmetic;
mod new_set;
mod progress;
mod rollout;
mod sets;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use tidings::controller::{Action, Context, Controller, Error, Request, Watched};
use tidings::{Notification, SharedInformerFactory};

use crate::claim::{claim, possible_owners};
use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::object::{is_deleting, part};
use crate::replica_sets::ReplicaSets;
use sets::Sets;

pub(crate) use arithmetic::{Rounding, share};

/// Imitates the Deployment controller, and brings [`ReplicaSets`] along.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deployments;

impl StandIn for Deployments {
    fn name(&self) -> &'static str {
        "deployments"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        let of_orphan = possible_owners(setup.factory(), |deployment: &Deployment| {
            Some(part::<DeploymentSpec>(&deployment.spec)?.selector.clone())
        });
        let of_pod = deployment_of_deleted_pod(setup.factory());
        let deployments = Controller::for_kind::<Deployment>("deployment-controller")
            .owns::<ReplicaSet>()
            .watches::<ReplicaSet>(of_orphan)
            .watches_with(Watched::<Pod>::new(of_pod))
            .reconcile(move |request, context| reconcile(request, context, clock.clone()));
        let mut controllers = vec![deployments];
        controllers.extend(ReplicaSets.controllers(setup));
        controllers
    }
}

/// A Deployment with the strategy Recreate waits until its old pods are gone.
fn deployment_of_deleted_pod(
    factory: &SharedInformerFactory,
) -> impl Fn(&Notification<Pod>) -> Vec<Request> + Send + Sync + 'static {
    let sets = factory.informer::<ReplicaSet>().lister();
    move |notification| {
        if notification.new().is_some() {
            return Vec::new();
        }
        let pod = notification.object();
        let sets = sets.namespace(pod.namespace().unwrap_or_default()).list().into_iter();
        let owner = sets.filter(|set| pod.controller_uid() == Some(set.uid())).filter_map(|set| {
            let set = set.decoded().ok()?;
            let owner = tidings::controller::controller_of(&*set)?;
            Request::new(pod.namespace(), &owner.name).ok()
        });
        owner.collect()
    }
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(deployment) = context.get::<Deployment>(&request).await? else {
        return Ok(Action::await_change()); // the garbage collector deletes its ReplicaSets
    };
    let deployment = Deployment::clone(&deployment);
    let Some(spec) = part::<DeploymentSpec>(&deployment.spec).cloned() else {
        return Ok(Action::await_change());
    };
    let claimed: Vec<ReplicaSet> = claim(&context, &deployment, &spec.selector).await?;
    let mut sets = Sets::new(&context, deployment, spec, claimed)?;
    if is_deleting(&sets.deployment) {
        return progress::report(sets, &clock).await;
    }
    if sets.spec.paused == Some(true) || sets.is_scaling() {
        new_set::refresh(&mut sets, &clock).await?;
        rollout::scale(&mut sets).await?;
    } else if sets.is_recreated() {
        rollout::recreate(&mut sets, &clock).await?;
    } else {
        rollout::roll(&mut sets, &clock).await?;
    }
    sets.delete_old_revisions().await?;
    progress::report(sets, &clock).await
}
