//! The door in the process: a `tower` service, no socket, no task.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use tower::Service;

use super::{Authentication, Core, handle};
use crate::body::ResponseBody;

/// The server as a `tower` service.
#[derive(Clone)]
pub struct InProcess {
    core: Arc<Core>,
    token: Option<HeaderValue>,
}

/// There is nobody to connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection refused")]
pub(crate) struct ConnectionRefused;

impl InProcess {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self { core, token: None }
    }

    /// The same service, as the user of this token.
    pub fn with_token(mut self, token: &str) -> Self {
        // A token that can't be in a header is nobody's: the empty one is too.
        let header = HeaderValue::from_str(&format!("Bearer {token}"));
        self.token = Some(header.unwrap_or_else(|_| HeaderValue::from_static("Bearer")));
        self
    }
}

impl<B> Service<Request<B>> for InProcess
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Send,
{
    type Response = Response<ResponseBody>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let core = Arc::clone(&self.core);
        let authentication = match &self.token {
            Some(token) => {
                request.headers_mut().insert(header::AUTHORIZATION, token.clone());
                Authentication::BearerToken
            }
            None => Authentication::Trusted,
        };
        Box::pin(async move {
            let answer = handle(&core, request, authentication).await;
            // As a socket would say it, so that clients tell it from other failures in the usual way.
            answer.map_err(|refused| std::io::Error::new(std::io::ErrorKind::ConnectionRefused, refused))
        })
    }
}
