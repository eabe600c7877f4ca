//! The kubelet: makes pods on nodes run, become ready, end, restart or hang, as a script says.
//!
//! It runs no container. What a pod does follows from its script and the time since it has a node, so a kubelet that
//! starts again continues where the last one was. It acts for all nodes.

mod report;
mod script;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DeleteParams;
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings::LabelSelector;
use tidings::controller::{Action, Context, Controller, Error, Request};

use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::object::{annotation, is_deleting, name, namespace, uid, write_status};
use crate::pods;
use crate::sync::Mutex;
use script::RestartPolicy;
pub use script::{Script, ScriptError};

/// The annotation of a pod that contains its script, for tests in any language.
pub(crate) const SCRIPT: &str = "tidings.dev/kubelet";

/// Imitates the kubelets of all nodes. Start the API server with its `Kubelet::Absent`: otherwise a deleted pod is
/// removed at once, and never seen to stop.
///
/// The script of a pod is in its annotation `tidings.dev/kubelet`, or that of the first selector that matches, or the
/// default script of the kubelet.
///
/// ```
/// use std::time::Duration;
/// use tidings_cluster::{Kubelet, Script};
///
/// let kubelet = Kubelet::new()
///     .ready_after(Duration::from_secs(2))
///     .pods("app=batch".parse()?, "exit-after=10s,fail-rate=0.1".parse()?)
///     .pods("app=broken".parse()?, Script::new().never_ready());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kubelet {
    script: Script,
    selected: Vec<(LabelSelector, Script)>,
}

impl Kubelet {
    /// A kubelet whose pods start and are ready at once; see [`Script::new`].
    pub fn new() -> Self {
        Kubelet::default()
    }

    /// The script of pods that no selector matches.
    #[must_use]
    pub fn script(mut self, script: Script) -> Self {
        self.script = script;
        self
    }

    /// The script of pods with these labels. The first selector that matches is used.
    #[must_use]
    pub fn pods(mut self, selector: LabelSelector, script: Script) -> Self {
        self.selected.push((selector, script));
        self
    }

    /// As [`Script::start_after`] of the default script.
    #[must_use]
    pub fn start_after(self, delay: Duration) -> Self {
        let script = self.script.clone().start_after(delay);
        self.script(script)
    }

    /// As [`Script::ready_after`] of the default script.
    #[must_use]
    pub fn ready_after(self, delay: Duration) -> Self {
        let script = self.script.clone().ready_after(delay);
        self.script(script)
    }

    /// The script of a pod. An annotation that can't be read counts as a container that can't be created.
    fn script_of(&self, pod: &Pod) -> Result<Script, ScriptError> {
        if let Some(text) = annotation(pod, SCRIPT) {
            return text.parse();
        }
        let labels = pod.metadata.labels.as_ref();
        let matches = |selector: &LabelSelector| selector.matches(|key| labels?.get(key).map(String::as_str));
        let selected = self.selected.iter().find(|(selector, _)| matches(selector));
        Ok(selected.map_or_else(|| self.script.clone(), |(_, script)| script.clone()))
    }
}

impl StandIn for Kubelet {
    fn name(&self) -> &'static str {
        "kubelet"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let kubelet = Arc::new(RunningKubelet {
            scripts: self.clone(),
            clock: setup.clock(),
            seed: setup.seed(),
            seen: Mutex::new(HashMap::new()),
        });
        vec![Controller::for_kind::<Pod>("kubelet").reconcile(move |request, context| {
            let kubelet = Arc::clone(&kubelet);
            async move { kubelet.reconcile(request, context).await }
        })]
    }
}

struct RunningKubelet {
    scripts: Kubelet,
    clock: Clock,
    seed: u64,
    /// When pods were first seen on a node and when in deletion. After a restart the times in the objects replace them.
    seen: Mutex<HashMap<Request, Seen>>,
}

struct Seen {
    uid: String,
    admitted: Timestamp,
    stopping: Option<Timestamp>,
}

impl RunningKubelet {
    async fn reconcile(&self, request: Request, context: Context) -> Result<Action, Error> {
        let Some(pod) = context.get::<Pod>(&request).await? else {
            self.seen.lock().remove(&request);
            return Ok(Action::await_change());
        };
        if pods::node_name(&pod).is_none() {
            return Ok(Action::await_change());
        }
        let script = match self.scripts.script_of(&pod) {
            Ok(script) => script,
            Err(error) if is_deleting(&*pod) => {
                tracing::debug!(%error, "the pod is deleted anyway");
                Script::new()
            }
            Err(error) => return Err(Error::terminal(error)),
        };
        let admitted = self.admitted(&request, &pod);
        if is_deleting(&*pod) {
            return self.stop(&request, &context, &pod, &script, admitted).await;
        }
        if pods::has_ended(&pod) {
            return Ok(Action::await_change());
        }
        let time = since(self.clock.now(), admitted);
        let moment = script.at(restart_policy(&pod), |run| self.chance(&pod, run), time);
        let status = report::running(&pod, admitted, &moment, &self.clock.text())?;
        write_status(&context, &*pod, status).await?;
        let next = moment.next.map(|next| next.saturating_sub(since(self.clock.now(), admitted)));
        Ok(next.map_or_else(Action::await_change, Action::requeue_after))
    }

    /// Stops the containers, reports it, and removes the pod.
    async fn stop(
        &self,
        request: &Request,
        context: &Context,
        pod: &Pod,
        script: &Script,
        admitted: Timestamp,
    ) -> Result<Action, Error> {
        let grace = u64::try_from(pod.metadata.deletion_grace_period_seconds.unwrap_or(0)).unwrap_or(0);
        if !pods::has_ended(pod) {
            let stopping = self.stopping(request);
            let rest = script
                .stop_within(Duration::from_secs(grace))
                .saturating_sub(since(self.clock.now(), stopping));
            if !rest.is_zero() {
                return Ok(Action::requeue_after(rest));
            }
            let status = report::stopped(pod, admitted, self.clock.now())?;
            write_status(context, pod, status).await?;
            return Ok(Action::await_change()); // the write requests the next reconcile, which removes the pod
        }
        // With a grace period of 0 it is removed already, or finalizers of others hold it.
        if grace > 0 {
            pods::delete_with(context, pod, DeleteParams::default().grace_period(0)).await?;
        }
        Ok(Action::await_change())
    }

    /// When the pod was admitted to its node. A kubelet that starts again finds it in the pod.
    fn admitted(&self, request: &Request, pod: &Pod) -> Timestamp {
        let mut seen = self.seen.lock();
        let known = seen.get(request).filter(|seen| seen.uid == uid(pod)).map(|seen| seen.admitted);
        known.unwrap_or_else(|| {
            let started = pod.status.as_ref().and_then(|status| status.start_time.as_ref());
            let admitted = started.map_or_else(|| self.clock.now(), |time| time.0);
            seen.insert(request.clone(), Seen { uid: uid(pod).to_owned(), admitted, stopping: None });
            admitted
        })
    }

    fn stopping(&self, request: &Request) -> Timestamp {
        let now = self.clock.now();
        let mut seen = self.seen.lock();
        seen.get_mut(request).map_or(now, |seen| *seen.stopping.get_or_insert(now))
    }

    /// A number between 0 and 1 for a run of a pod, from the seed, the name of the pod and the number of the run.
    fn chance(&self, pod: &Pod, run: u32) -> f64 {
        let text = format!("{}/{}", namespace(pod), name(pod));
        let mixed = text
            .bytes()
            .fold(self.seed ^ u64::from(run).wrapping_mul(0x9e37_79b9_7f4a_7c15), |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        SmallRng::seed_from_u64(mixed).random()
    }
}

fn since(now: Timestamp, then: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(then)).unwrap_or_default()
}

fn restart_policy(pod: &Pod) -> RestartPolicy {
    match pod.spec.as_ref().and_then(|spec| spec.restart_policy.as_deref()) {
        Some("Never") => RestartPolicy::Never,
        Some("OnFailure") => RestartPolicy::OnFailure,
        _ => RestartPolicy::Always,
    }
}
