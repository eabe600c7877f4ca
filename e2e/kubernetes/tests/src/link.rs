//! A TCP forwarder between a client and the server that can be cut and restored. It forwards bytes unchanged, TLS
//! included.
//!
//! While the link is cut, connections are refused and the server continues. Afterwards the client must find out what
//! has happened.

use std::io;
use std::net::SocketAddr;

use kube_client::Config;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use crate::sync::Mutex;

#[derive(Debug)]
/// A link to the server.
pub struct Link {
    address: SocketAddr,
    server_port: u16,
    /// The accept loop and its connections. `None` while the link is cut.
    carrying: Mutex<Option<JoinSet<()>>>,
}

impl Link {
    /// A link to the server at this loopback port.
    pub async fn to(server_port: u16) -> io::Result<Link> {
        let listener = listen("127.0.0.1:0".parse().expect("it is an address"))?;
        let address = listener.local_addr()?;
        let link = Link { address, server_port, carrying: Mutex::new(None) };
        link.carry(listener);
        Ok(link)
    }

    /// The configuration, with the address of this link.
    pub fn over(&self, mut config: Config) -> Config {
        let url = format!("https://{}", self.address);
        config.cluster_url = url.parse().expect("an address makes a URL");
        config
    }

    /// Closes every connection and refuses new ones.
    pub async fn cut(&self) {
        let carrying = self.carrying.lock().take();
        if let Some(mut carrying) = carrying {
            carrying.shutdown().await;
        }
    }

    /// Restores the link.
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

/// Reuses the address, because closed connections occupy it for a while.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(128)
}

/// The connections end with this task.
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
    // When one side closes, the other side sees the end.
    if let Ok(mut server) = TcpStream::connect(server).await {
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}
