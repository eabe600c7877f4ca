//! What a user writes: a function from a request to an action, or a type that has one. It must be level-based: it reads
//! how things are, and makes them as they should be, however it came to be called.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidings_util::WithCauses;

use crate::action::Action;
use crate::context::Context;
use crate::request::Request;

/// Makes the world as an object says it should be.
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
    /// Looks at one object. It is never called for one key twice at the same time.
    fn reconcile(
        &self,
        request: Request,
        context: Context,
    ) -> impl Future<Output = Result<Action, Error>> + Send;
}

impl<F, Ended> Reconciler for F
where
    F: Fn(Request, Context) -> Ended + Send + Sync + 'static,
    Ended: Future<Output = Result<Action, Error>> + Send,
{
    fn reconcile(
        &self,
        request: Request,
        context: Context,
    ) -> impl Future<Output = Result<Action, Error>> + Send {
        self(request, context)
    }
}

/// Why a reconciler has not done what it was asked. Everything that is an error becomes one with `?`.
///
/// A request that ended with an error is tried again, later each time; one that ended with a
/// [terminal](Self::terminal) error is not, until something changes.
pub struct Error {
    cause: Box<dyn StdError + Send + Sync>,
    is_terminal: bool,
}

impl Error {
    /// An error that trying again does not mend.
    pub fn terminal(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Error { cause: cause.into(), is_terminal: true }
    }

    /// Whether trying again does not mend it.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// What went wrong.
    pub fn cause(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.cause
    }
}

impl<E: Into<Box<dyn StdError + Send + Sync>>> From<E> for Error {
    fn from(cause: E) -> Self {
        Error { cause: cause.into(), is_terminal: false }
    }
}

/// With its causes, each said once, which an error in a log is worth little without.
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

/// A reconciler whose type nobody needs to know.
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
    fn every_error_becomes_one_that_is_tried_again_and_says_its_causes() {
        assert!(!read().unwrap_err().is_terminal());
        let deep = anyhow::anyhow!("no route").context("asking the printer");
        assert_eq!(Error::from(deep).to_string(), "asking the printer: no route");
        assert!(Error::terminal("a colour that nobody has").is_terminal());
    }
}
