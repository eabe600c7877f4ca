//! Reads the body of a response chunk by chunk, and decompresses it if it is gzip.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_ENCODING, HeaderMap};
use http_body_util::BodyExt as _;
use kube_client::client::Body;
use tokio::time::{Instant, timeout, timeout_at};

use super::gunzip::Gunzip;
use crate::ErrorKind;
use crate::error::transport;

/// Reads one body.
pub(super) struct BodyChunks {
    body: Body,
    gunzip: Option<Gunzip>,
}

/// How much of the body of an error response is read, and for how long. The server may be overloaded.
const ERROR_BODY_BYTES_MAX: usize = 64 << 10;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

impl BodyChunks {
    pub(super) fn new(body: Body, headers: &HeaderMap) -> Result<BodyChunks, ErrorKind> {
        let encoding = headers.get(CONTENT_ENCODING).map_or(&b"identity"[..], |value| value.as_bytes());
        let gunzip = match encoding.to_ascii_lowercase().as_slice() {
            b"identity" | b"" => None,
            b"gzip" | b"x-gzip" => Some(Gunzip::new()),
            _ => return Err(ErrorKind::Malformed("a content encoding that was not requested".to_owned())),
        };
        Ok(BodyChunks { body, gunzip })
    }

    /// The next chunk, which is never empty; `None` at the end of the body.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, ErrorKind> {
        loop {
            if let Some(gunzip) = &mut self.gunzip {
                let unpacked = gunzip.next().map_err(|error| gzip_error(&error))?;
                if unpacked.is_some() {
                    return Ok(unpacked);
                }
            }
            let Some(frame) = self.body.frame().await else { return self.end() };
            // A frame without data has trailers, which are not needed.
            let Ok(data) = frame.map_err(|error| transport::error_kind(&error))?.into_data() else {
                continue;
            };
            match &mut self.gunzip {
                Some(gunzip) => gunzip.push(data),
                None if data.is_empty() => {}
                None => return Ok(Some(data)),
            }
        }
    }

    /// The first chunk; empty if it does not arrive in time, or on any error.
    pub(super) async fn first(mut self) -> Bytes {
        match timeout(ERROR_BODY_TIMEOUT, self.next()).await {
            Ok(Ok(Some(chunk))) => chunk,
            _ => Bytes::new(),
        }
    }

    fn end(&mut self) -> Result<Option<Bytes>, ErrorKind> {
        let Some(mut gunzip) = self.gunzip.take() else { return Ok(None) };
        let last = gunzip.finish().map_err(|error| gzip_error(&error))?;
        Ok(Some(last).filter(|last| !last.is_empty()))
    }
}

/// The first part of the body of an error response: as much as arrives in time and without an error.
pub(super) async fn read_error_body(body: Body, headers: &HeaderMap) -> Vec<u8> {
    let mut read = Vec::new();
    let Ok(mut chunks) = BodyChunks::new(body, headers) else { return read };
    let deadline = Instant::now() + ERROR_BODY_TIMEOUT;
    while read.len() < ERROR_BODY_BYTES_MAX {
        let Ok(Ok(Some(chunk))) = timeout_at(deadline, chunks.next()).await else { break };
        read.extend_from_slice(&chunk[..chunk.len().min(ERROR_BODY_BYTES_MAX - read.len())]);
    }
    read
}

fn gzip_error(error: &io::Error) -> ErrorKind {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        let message = "the stream ended within a gzip member".to_owned();
        return ErrorKind::Network { message, is_refused: false };
    }
    ErrorKind::Malformed(format!("gzip: {error}"))
}
