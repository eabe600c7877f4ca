//! The user's part of a controller: a function from a request to an action, or a type with such a method.
//!
//! A reconciler must be level-based: it compares the actual state with the desired one and corrects the difference. It
//! must not depend on the event that caused the request.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidings_util::WithCauses;

use crate::action::Action;
use crate::context::Context;
use crate::request::Request;

/// Brings the actual state to the desired state of one object.
///
/// An `async fn(Request, Context) -> Result<Action, Error>` is one, and so is a closure.
///
/// ```
/// use tidings_controller::{Action, Context, Error, Reconciler, Request};
///
/// struct Greeter { greeting: String }
///
/// impl Reconciler for Greeter {
///     async fn reconcile(&self, request: Request, _: Context) -> Result<Action, Error> {
///         println!("{} {request}", self.greeting);
///         Ok(Action::await_change())
///     }
/// }
/// ```
pub trait Reconciler: Send + Sync + 'static {
    /// Reconciles one object. Two calls for the same key never overlap.
    fn reconcile(
        &self,
        request: Request,
        context: Context,
    ) -> impl Future<Output = Result<Action, Error>> + Send;
}

impl<F, Reconcile> Reconciler for F
where
    F: Fn(Request, Context) -> Reconcile + Send + Sync + 'static,
    Reconcile: Future<Output = Result<Action, Error>> + Send,
{
    fn reconcile(
        &self,
        request: Request,
        context: Context,
    ) -> impl Future<Output = Result<Action, Error>> + Send {
        self(request, context)
    }
}

/// The error of a reconcile. Every error type converts into it with `?`.
///
/// A request whose reconcile returned an error is retried after a delay that grows with each failure
/// ([`on_error`](crate::ControllerBuilder::on_error) can choose another delay). After a [terminal](Self::terminal)
/// error it is not retried until something changes.
pub struct Error {
    cause: Box<dyn StdError + Send + Sync>,
    is_terminal: bool,
}

impl Error {
    /// An error that a retry would not fix.
    pub fn terminal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Error { cause: cause.into(), is_terminal: true }
    }

    /// Whether a retry would not fix it.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The error that was converted. Use `downcast_ref` to get its type.
    pub fn cause(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.cause
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Error {
    fn from(cause: E) -> Self {
        Error { cause: cause.into(), is_terminal: false }
    }
}

/// The error with all its causes, each once.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        WithCauses(self.cause.as_ref()).fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_terminal { "Terminal" } else { "Error" };
        f.debug_tuple(kind).field(&self.cause).finish()
    }
}

/// A [`Reconciler`] as a trait object.
pub(crate) trait AnyReconciler: Send + Sync {
    fn start(&self, request: Request, context: Context) -> BoxFuture<'_, Result<Action, Error>>;
}

impl<R: Reconciler> AnyReconciler for R {
    fn start(&self, request: Request, context: Context) -> BoxFuture<'_, Result<Action, Error>> {
        self.reconcile(request, context).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read() -> Result<(), Error> {
        "seven".parse::<u32>()?;
        Ok(())
    }

    #[test]
    fn every_error_converts_to_one_that_is_retried_and_shows_its_causes() {
        assert!(!read().unwrap_err().is_terminal());
        let deep = anyhow::anyhow!("no route").context("printing");
        assert_eq!(Error::from(deep).to_string(), "printing: no route");
        assert!(Error::terminal("unknown colour").is_terminal());
    }
}
