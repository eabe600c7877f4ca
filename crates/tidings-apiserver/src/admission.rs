//! Admission: webhooks and policies that change or refuse a write before it is stored.
//!
//! The write path is synchronous, and a webhook is not. So a reviewed write runs in passes. The first pass stops where
//! the mutating webhooks are due and hands out the object. They are called without any lock. The second pass takes
//! their result, validates it, and stops where the validating webhooks and policies are due. The third pass stores the
//! object. A pass that finds another version of the stored object than the one that was reviewed begins again. A server
//! without webhook configurations and policy bindings makes one pass.
//!
//! ```text
//! pass 1   complete ─ stop ─▶ mutating webhooks
//! pass 2   complete ─ take their object ─ validate ─ stop ─▶ validating webhooks, policies
//! pass 3   complete ─ take their object ─ validate ─ store
//! ```

use serde_json::Value;

use crate::auth::User;
use crate::request::RequestOptions;
use crate::resource::{ResourceDef, Verb};
use crate::server::Core;
use crate::status::ApiError;
use crate::write::WriteRequest;

pub(crate) mod cel;
mod policies;
mod review;
mod rules;
mod webhooks;

/// How often a write is reviewed again because another write came first.
pub(crate) const PASSES_MAX: usize = 16;

const MUTATING: &str = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
const VALIDATING: &str = "admissionregistration.k8s.io/validatingwebhookconfigurations";
const BINDINGS: &str = "admissionregistration.k8s.io/validatingadmissionpolicybindings";

/// How far the reviews of one write have come.
#[derive(Debug, Default)]
pub(crate) struct Admission {
    /// Whether the server has any webhooks or policies that may review this write.
    is_on: bool,
    mutated: Option<(Identity, Value, Mutated)>,
    validated: Vec<Identity>,
    pending: Option<PendingReview>,
    /// The warnings of webhooks and policies.
    pub(crate) warnings: Vec<String>,
}

/// Which state of which object was reviewed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    /// Empty for a create with a generated name, which is another one in each pass.
    name: String,
    /// The version of the stored object; `None` for a create.
    version: Option<String>,
}

/// A review that must happen before the write can go on.
#[derive(Debug)]
pub(crate) struct PendingReview {
    stage: Stage,
    identity: Identity,
    old: Option<Value>,
    new: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Mutating,
    Validating,
}

/// Whether mutating webhooks changed an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutated {
    No,
    Yes,
}

/// The write that is reviewed.
pub(crate) struct ReviewedWrite<'a> {
    pub(crate) core: &'a Core,
    pub(crate) def: &'a ResourceDef,
    pub(crate) user: &'a User,
    pub(crate) options: &'a RequestOptions,
    pub(crate) namespace: Option<&'a str>,
    pub(crate) subresource: &'a str,
    pub(crate) verb: Verb,
}

/// One object of a reviewed write: its old state, and its new one unless it is deleted.
#[derive(Clone, Copy)]
struct Change<'a> {
    old: Option<&'a Value>,
    new: Option<&'a Value>,
}

impl Admission {
    /// The reviews of a write that is about to begin.
    pub(crate) fn of(write: &ReviewedWrite<'_>) -> Self {
        // Configurations do not review each other, so that a wrong one can be repaired.
        let is_configuration = write.def.group == "admissionregistration.k8s.io";
        let is_reviewed =
            matches!(write.subresource, "" | "status" | "approval" | "ephemeralcontainers" | "resize");
        let is_on = !is_configuration
            && is_reviewed
            && write.verb != Verb::Get
            && write.core.store.has_any(&[MUTATING, VALIDATING, BINDINGS]);
        Self { is_on, ..Self::default() }
    }

    pub(crate) fn take_pending(&mut self) -> Option<PendingReview> {
        self.pending.take()
    }

    /// Calls what reviews the write at this point. The error refuses the write.
    pub(crate) async fn resolve(
        &mut self,
        write: &ReviewedWrite<'_>,
        pending: PendingReview,
    ) -> Result<(), ApiError> {
        let PendingReview { stage, identity, old, new } = pending;
        match (stage, new) {
            (Stage::Mutating, Some(new)) => {
                let (object, mutated) =
                    webhooks::mutate(write, old.as_ref(), new, &mut self.warnings).await?;
                self.mutated = Some((identity, object, mutated));
            }
            (_, new) => {
                let change = Change { old: old.as_ref(), new: new.as_ref() };
                policies::check(write, change, &mut self.warnings)?;
                webhooks::validate(write, change, &mut self.warnings).await?;
                self.validated.push(identity);
            }
        }
        Ok(())
    }
}

impl WriteRequest<'_> {
    /// The point of a write where mutating webhooks are due. Replaces `new` by their result.
    pub(crate) fn mutate(&self, old: Option<&Value>, new: &mut Value) -> Result<Mutated, ApiError> {
        let mut admission = self.admission.borrow_mut();
        if !admission.is_on {
            return Ok(Mutated::No);
        }
        let identity = Identity::of(old, Some(new));
        match &admission.mutated {
            Some((reviewed, object, mutated)) if *reviewed == identity => {
                *new = object.clone();
                Ok(*mutated)
            }
            _ => {
                let (old, new) = (old.cloned(), Some(new.clone()));
                admission.pending = Some(PendingReview { stage: Stage::Mutating, identity, old, new });
                Err(ApiError::review_pending())
            }
        }
    }

    /// The point of a write where validating webhooks and policies are due. `new` is `None` for a deletion.
    pub(crate) fn review(&self, old: Option<&Value>, new: Option<&Value>) -> Result<(), ApiError> {
        let mut admission = self.admission.borrow_mut();
        if !admission.is_on {
            return Ok(());
        }
        let identity = Identity::of(old, new);
        if admission.validated.contains(&identity) {
            return Ok(());
        }
        let (old, new) = (old.cloned(), new.cloned());
        admission.pending = Some(PendingReview { stage: Stage::Validating, identity, old, new });
        Err(ApiError::review_pending())
    }
}

impl Identity {
    fn of(old: Option<&Value>, new: Option<&Value>) -> Self {
        let text =
            |object: &Value, name: &str| object["metadata"][name].as_str().unwrap_or_default().to_owned();
        match (old, new) {
            (Some(old), _) => Self { name: text(old, "name"), version: Some(text(old, "resourceVersion")) },
            (None, Some(new)) if !text(new, "generateName").is_empty() => {
                Self { name: String::new(), version: None }
            }
            (None, Some(new)) => Self { name: text(new, "name"), version: None },
            (None, None) => Self { name: String::new(), version: None },
        }
    }
}

impl ReviewedWrite<'_> {
    fn is_dry_run(&self) -> bool {
        self.options.dry_run.iter().any(|value| value == "All")
    }
}

impl Change<'_> {
    /// The operation as rules name it.
    fn operation(&self) -> &'static str {
        match (self.old, self.new) {
            (None, _) => "CREATE",
            (Some(_), Some(_)) => "UPDATE",
            (Some(_), None) => "DELETE",
        }
    }

    /// The object that has the name: the new state, or the old one of a deletion.
    fn object(&self) -> &Value {
        self.new.or(self.old).unwrap_or(&Value::Null)
    }

    fn text(&self, name: &str) -> &str {
        self.object()["metadata"][name].as_str().unwrap_or_default()
    }
}
