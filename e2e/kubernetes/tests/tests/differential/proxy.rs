//! The proxy between a client and the server: plain HTTP/1.1 to the client, TLS and a token to the server. It records
//! all requests and injects faults.
//!
//! It is written on the level of bytes, because it must break off inside a frame.

mod relay;
mod request;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use kube_client::Client;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::fault_plan::FaultState;
use crate::wire::Log;
use request::Incoming;

/// The proxy of one client.
pub(crate) struct FaultProxy {
    pub(crate) state_of_faults: FaultState,
    pub(crate) log: Log,
    address: SocketAddr,
    /// Bound but not listening, so that the port stays reserved while connections are refused.
    _port: TcpSocket,
    server: Client,
}

impl FaultProxy {
    /// A proxy to `server` on a free port.
    pub(crate) fn new(server: Client, began_at: Instant) -> Arc<FaultProxy> {
        let port = bound(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let address = port.local_addr().expect("a bound socket has an address");
        Arc::new(FaultProxy {
            state_of_faults: FaultState::clear(),
            log: Log::new(began_at),
            address,
            _port: port,
            server,
        })
    }

    /// The URL for the client.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Accepts clients, unless connections are to be refused.
    pub(crate) async fn accept_clients(self: Arc<FaultProxy>) {
        let mut faults = self.state_of_faults.subscribe();
        let mut connections = JoinSet::new();
        loop {
            let _ = faults.wait_for(|faults| !faults.is_refusing()).await;
            let listener = self.listen();
            loop {
                tokio::select! {
                    accepted = listener.accept() => {
                        let (socket, _) = accepted.expect("a listener accepts");
                        connections.spawn(Arc::clone(&self).serve(socket));
                    }
                    Some(_) = connections.join_next() => {}
                    _ = faults.wait_for(|faults| faults.is_refusing()) => break,
                }
            }
        }
    }

    fn listen(&self) -> TcpListener {
        bound(self.address).listen(128).expect("the port is ours")
    }

    /// Handles requests one after another, until the connection ends.
    async fn serve(self: Arc<FaultProxy>, mut socket: TcpStream) {
        let mut faults = self.state_of_faults.subscribe();
        loop {
            let incoming = tokio::select! {
                incoming = Incoming::read(&mut socket) => incoming,
                _ = faults.wait_for(|faults| faults.is_refusing()) => return,
            };
            let Some(incoming) = incoming else { return };
            let number = self.log.record_request(incoming.path(), incoming.query());
            let answered = self.answer(number, &incoming, &mut socket).await;
            self.log.ended(number);
            if answered.is_err() {
                return;
            }
        }
    }
}

fn bound(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket can be made");
    socket.set_reuseaddr(true).expect("a socket takes options");
    socket.set_reuseport(true).expect("a socket takes options");
    socket.bind(address).expect("a port of the loopback can be had");
    socket
}
