//! Ends a response body after some bytes.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;

use super::Ending;
use crate::body::{self, ConnectionLost, ResponseBody};

/// The first `after_bytes` of a body, then the ending.
pub(crate) fn cut_body(body: ResponseBody, after_bytes: usize, ending: Ending) -> ResponseBody {
    let state = Some((body.into_data_stream(), after_bytes));
    body::streamed(stream::unfold(state, move |state| async move {
        let (mut chunks, left) = state?;
        if left == 0 {
            return end(ending).await;
        }
        match chunks.next().await? {
            Ok(chunk) if chunk.len() <= left => {
                let left = left - chunk.len();
                Some((Ok(chunk), Some((chunks, left))))
            }
            Ok(chunk) => Some((Ok(chunk.slice(..left)), Some((chunks, 0)))),
            Err(broken) => Some((Err(broken), None)),
        }
    }))
}

type UnfoldStep<S> = Option<(Result<Bytes, ConnectionLost>, Option<S>)>;

async fn end<S>(ending: Ending) -> UnfoldStep<S> {
    match ending {
        Ending::Clean => None,
        Ending::Broken => body::connection_lost().await,
        Ending::Stalled => std::future::pending().await,
    }
}
