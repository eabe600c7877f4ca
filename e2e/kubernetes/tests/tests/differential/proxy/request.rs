//! The requests of a client: GET without a body.

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// The largest accepted head of a request.
const HEAD_BYTES_MAX: usize = 64 << 10;

pub(super) struct Incoming {
    target: String,
    accept: String,
}

impl Incoming {
    /// The next request of a connection, or `None` at its end. Clients do not pipeline requests, so nothing follows a
    /// head.
    pub(super) async fn read(socket: &mut TcpStream) -> Option<Incoming> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if socket.read_buf(&mut head).await.ok()? == 0 || head.len() > HEAD_BYTES_MAX {
                return None;
            }
        }
        let head = String::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let target = lines.next()?.split(' ').nth(1)?.to_owned();
        let accept = lines.filter_map(|line| line.split_once(": "));
        let accept = accept.filter(|(name, _)| name.eq_ignore_ascii_case("accept")).last();
        Some(Incoming { target, accept: accept.map_or("*/*", |(_, value)| value).to_owned() })
    }

    pub(super) fn target(&self) -> &str {
        &self.target
    }

    pub(super) fn accept(&self) -> &str {
        &self.accept
    }

    pub(super) fn path(&self) -> &str {
        self.target.split_once('?').map_or(&*self.target, |(path, _)| path)
    }

    pub(super) fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}
