//! The in-process transport: a `tower` service without a socket and without a task.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, header};
use tower::Service;

use super::{Authentication, Core, handle};
use crate::body::ResponseBody;

/// The in-process transport: the server as a `tower` service.
#[derive(Clone)]
pub struct InProcess {
    core: Arc<Core>,
    token: Option<HeaderValue>,
}

/// The server is closed, or a fault refuses the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connection refused")]
pub(crate) struct ConnectionRefused;

impl InProcess {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self { core, token: None }
    }

    /// The same service, with this bearer token in each request.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        // A token that no header can carry becomes the empty token. No user has that one, so the answer is a 401.
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
            // The same error as that of a socket, so that clients recognise it.
            answer.map_err(|refused| std::io::Error::new(std::io::ErrorKind::ConnectionRefused, refused))
        })
    }
}
