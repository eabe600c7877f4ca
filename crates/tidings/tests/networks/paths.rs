//! Proxies, and several API servers behind one name.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tidings::client_from_config;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Ending, Listen};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::fixture::{Follower, Forwarder, connect, open, request_head};

/// The heads of the requests that a proxy received.
type Heads = Arc<Mutex<Vec<String>>>;

/// A proxy that requires a password and connects to the requested address.
async fn proxy(listener: TcpListener, heads: Heads) {
    let mut connections = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.expect("a connection can be accepted");
        connections.spawn(proxy_one(client, Arc::clone(&heads)));
    }
}

async fn proxy_one(mut client: TcpStream, heads: Heads) -> Option<()> {
    let head = request_head(&mut client).await?;
    heads.lock().push(head.clone());
    // user:pa@ss
    if !head.to_ascii_lowercase().contains("proxy-authorization: basic dxnlcjpwyubzcw==\r\n") {
        client.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n").await.ok()?;
        return None;
    }
    let target = head.strip_prefix("CONNECT ")?.split(' ').next()?.to_owned();
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.ok()?;
    connect(client, &target).await;
    Some(())
}

pub(crate) async fn through_a_proxy() {
    let server = ApiServer::start().await;
    let mut tasks = JoinSet::new();
    let listening = open(&server, Listen::tls(), &mut tasks).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port can be had");
    let address = listener.local_addr().expect("it is bound");
    let heads = Heads::default();
    let mut proxying = JoinSet::new();
    proxying.spawn(proxy(listener, Arc::clone(&heads)));
    let mut config = listening.client_config(ADMIN_TOKEN);
    config.proxy_url = Some(format!("http://user:pa%40ss@{address}").parse().expect("a URL"));
    let follower = Follower::start(client_from_config(config).unwrap()).await;
    follower.sees(&server, "through-the-proxy").await;
    let connected = format!("CONNECT {} HTTP/1.1\r\n", listening.address());
    assert!(!heads.lock().is_empty());
    assert!(heads.lock().iter().all(|head| head.starts_with(&connected)), "{:?}", heads.lock());

    // It stops with all its connections, and is started again.
    proxying.shutdown().await;
    let faults = follower.reports("refused").await;
    assert!(!faults.iter().any(|fault| fault.contains("pa%40ss") || fault.contains("pa@ss")), "{faults:?}");
    let listener = TcpListener::bind(address).await.expect("the port is free again");
    proxying.spawn(proxy(listener, Arc::clone(&heads)));
    follower.sees(&server, "through-the-proxy-again").await;

    let mut config = listening.client_config(ADMIN_TOKEN);
    config.proxy_url = Some(format!("http://user:wrong@{address}").parse().expect("a URL"));
    let refused = client_from_config(config).unwrap().apiserver_version().await.unwrap_err();
    let refused = format!("{:?}", anyhow::Error::from(refused));
    assert!(refused.contains("proxy authorization required") && !refused.contains("wrong"), "{refused}");
    follower.end().await;
}

/// Several API servers with one store behind one name. Each is stopped once, and one is restarted at another address.
pub(crate) async fn several_servers_behind_one_name() {
    let server = ApiServer::start().await;
    let (mut first_tasks, mut second_tasks) = (JoinSet::new(), JoinSet::new());
    let first = open(&server, Listen::plain(), &mut first_tasks).await;
    let second = open(&server, Listen::plain(), &mut second_tasks).await;
    let balancer = Forwarder::start(&[first.address(), second.address()]).await;
    let mut config = first.client_config(ADMIN_TOKEN);
    config.cluster_url = format!("http://{}", balancer.address).parse().expect("a URL");
    let follower = Follower::start(client_from_config(config).unwrap()).await;
    follower.sees(&server, "with-both").await;

    first.close();
    while first_tasks.join_next().await.is_some() {}
    follower.sees(&server, "with-the-second").await;
    // Each connection is tried with both servers, and only one accepts.
    for round in 0..4 {
        server.faults().cut_watches(Ending::Broken);
        follower.sees(&server, &format!("with-the-second-{round}")).await;
    }
    let third = open(&server, Listen::plain(), &mut first_tasks).await;
    balancer.to(&[second.address(), third.address()]);
    second.close();
    while second_tasks.join_next().await.is_some() {}
    follower.sees(&server, "with-the-third").await;
    let none: [SocketAddr; 0] = [];
    balancer.to(&none);
    server.faults().cut_watches(Ending::Broken);
    balancer.to(&[third.address()]);
    follower.sees(&server, "after-there-was-none").await;
    follower.end().await;
}
