//! A wire between a client and the server that can be cut and mended: bytes pass as they are, TLS included.
//!
//! A client that is cut off finds nobody at the server's address, while the server goes on: what happens there in the
//! meantime, it must find out afterwards.

use std::io;
use std::net::SocketAddr;

use kube_client::Config;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::sync::Mutex;

/// A wire to the server.
#[derive(Debug)]
pub struct Link {
    address: SocketAddr,
    server_port: u16,
    /// Accepts and carries; gone while the wire is cut.
    carrying: Mutex<Option<JoinSet<()>>>,
}

impl Link {
    /// A wire to the server at this port of loopback.
    pub async fn to(server_port: u16) -> io::Result<Link> {
        let listener = listen("127.0.0.1:0".parse().expect("it is an address"))?;
        let address = listener.local_addr()?;
        let link = Link { address, server_port, carrying: Mutex::new(None) };
        link.carry(listener);
        Ok(link)
    }

    /// The configuration, over this wire.
    pub fn over(&self, mut config: Config) -> Config {
        let url = format!("https://{}", self.address);
        config.cluster_url = url.parse().expect("an address makes a URL");
        config
    }

    /// Cuts it: every connection breaks, and new ones are refused.
    pub async fn cut(&self) {
        let carrying = self.carrying.lock().take();
        if let Some(mut carrying) = carrying {
            carrying.shutdown().await;
        }
    }

    /// Mends it.
    pub fn mend(&self) -> io::Result<()> {
        self.carry(listen(self.address)?);
        Ok(())
    }

    fn carry(&self, listener: TcpListener) {
        let server = SocketAddr::from(([127, 0, 0, 1], self.server_port));
        let mut carrying = JoinSet::new();
        carrying.spawn(accept(listener, server));
        *self.carrying.lock() = Some(carrying);
    }
}

/// With the address reused: connections that were cut stay in the system's books for a while.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(128)
}

/// Its connections end with it.
async fn accept(listener: TcpListener, server: SocketAddr) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                if let Ok((client, _)) = accepted {
                    connections.spawn(pass(client, server));
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn pass(mut client: TcpStream, server: SocketAddr) {
    // Either end may go at any time; the other one sees its connection end.
    if let Ok(mut server) = TcpStream::connect(server).await {
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}
