//! The body of an answer, chunk by chunk, unpacked if it is packed.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderMap};
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use tokio::time::{Instant, timeout, timeout_at};

use crate::gunzip::Gunzip;
use crate::{Trouble, network};

/// Reads one body.
pub(super) struct Chunks {
    body: Body,
    gunzip: Option<Gunzip>,
}

/// How much of a refusal's body is read, and for how long: a server that refuses may be an ailing one.
const REFUSAL_BYTES_MAX: usize = 64 << 10;
const REFUSAL_READ_MAX: Duration = Duration::from_secs(5);

impl Chunks {
    pub(super) fn new(body: Body, headers: &HeaderMap) -> Result<Chunks, Trouble> {
        let encoding = headers.get(CONTENT_ENCODING).map_or(&b"identity"[..], |value| value.as_bytes());
        let gunzip = match encoding.to_ascii_lowercase().as_slice() {
            b"identity" | b"" => None,
            b"gzip" | b"x-gzip" => Some(Gunzip::new()),
            _ => return Err(Trouble::Malformed("a content encoding that was not asked for".to_owned())),
        };
        Ok(Chunks { body, gunzip })
    }

    /// The next chunk, which is not empty; `None` at the end of the body.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Trouble> {
        loop {
            if let Some(gunzip) = &mut self.gunzip {
                let unpacked = gunzip.next().map_err(|error| unreadable(&error))?;
                if unpacked.is_some() {
                    return Ok(unpacked);
                }
            }
            let Some(frame) = self.body.frame().await else { return self.end() };
            // Trailers say nothing about objects.
            let Ok(data) = frame.map_err(|error| network::trouble(&error))?.into_data() else { continue };
            match &mut self.gunzip {
                Some(gunzip) => gunzip.push(data),
                None if data.is_empty() => {}
                None => return Ok(Some(data)),
            }
        }
    }

    /// The first chunk, if it comes in time, whatever goes wrong.
    pub(super) async fn first(mut self) -> Bytes {
        match timeout(REFUSAL_READ_MAX, self.next()).await {
            Ok(Ok(Some(chunk))) => chunk,
            _ => Bytes::new(),
        }
    }

    fn end(&mut self) -> Result<Option<Bytes>, Trouble> {
        let Some(mut gunzip) = self.gunzip.take() else { return Ok(None) };
        let last = gunzip.finish().map_err(|error| unreadable(&error))?;
        Ok(Some(last).filter(|last| !last.is_empty()))
    }
}

/// The beginning of a refusal's body: as much as comes in time, whatever goes wrong.
pub(super) async fn beginning(body: Body, headers: &HeaderMap) -> Vec<u8> {
    let mut read = Vec::new();
    let Ok(mut chunks) = Chunks::new(body, headers) else { return read };
    let deadline = Instant::now() + REFUSAL_READ_MAX;
    while read.len() < REFUSAL_BYTES_MAX {
        let Ok(Ok(Some(chunk))) = timeout_at(deadline, chunks.next()).await else { break };
        read.extend_from_slice(&chunk[..chunk.len().min(REFUSAL_BYTES_MAX - read.len())]);
    }
    read
}

fn unreadable(error: &io::Error) -> Trouble {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        let message = "the stream ended within a gzip member".to_owned();
        return Trouble::Network { message, is_refused: false };
    }
    Trouble::Malformed(format!("gzip: {error}"))
}
