//! The transports: in process, HTTP, TLS; HTTP/2, tokens, kubeconfig, and closing.

use std::time::Duration;

use kube_client::Client;
use tidings_apiserver::{ADMIN_TOKEN, NO_RIGHTS_TOKEN, READ_ONLY_TOKEN};
use tidings_apiserver::{ApiServer, Ending, Listen, Listening};
use tokio::task::JoinSet;

use crate::requests::http_calls::{StreamEnd, config_map, delete, get, pod, post, watch};

/// A listening socket and the task that serves it.
pub(crate) struct OpenListener {
    pub(crate) listening: Listening,
    pub(crate) tasks: JoinSet<()>,
}

pub(crate) async fn open(server: &ApiServer, listen: Listen) -> OpenListener {
    let (listening, task) = server.listen(listen).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(task);
    OpenListener { listening, tasks }
}

pub(crate) fn client(open: &OpenListener, token: &str) -> Client {
    Client::try_from(open.listening.client_config(token)).unwrap()
}

#[tokio::test]
async fn every_transport_serves_lists_watches_and_writes() {
    let server = ApiServer::start().await;
    let plain = open(&server, Listen::plain()).await;
    let tls = open(&server, Listen::tls()).await;
    for (transport, client) in
        [("in", server.client()), ("plain", client(&plain, ADMIN_TOKEN)), ("tls", client(&tls, ADMIN_TOKEN))]
    {
        let path = format!("/api/v1/namespaces/{transport}/pods");
        assert_eq!(post(&client, &path, &pod(transport, "a")).await.code, 201, "{transport}");
        let list = get(&client, &path).await.json();
        assert_eq!(list["items"][0]["metadata"]["name"], "a", "{transport}");
        let version = list["metadata"]["resourceVersion"].as_str().unwrap();
        let mut events = watch(&client, &format!("{path}?watch=1&resourceVersion={version}")).await;
        assert_eq!(delete(&client, &format!("{path}/a")).await.code, 200, "{transport}");
        assert_eq!(events.type_and_name().await, "DELETED a", "{transport}");
    }
}

#[tokio::test]
async fn tokens_grant_their_rights() {
    let server = ApiServer::start().await;
    let tls = open(&server, Listen::tls()).await;
    let path = "/api/v1/namespaces/default/configmaps";
    for (token, read, write) in [
        (ADMIN_TOKEN, 200, 201),
        (READ_ONLY_TOKEN, 200, 403),
        (NO_RIGHTS_TOKEN, 403, 403),
        ("unknown", 401, 401),
    ] {
        for client in [client(&tls, token), server.client_with_token(token)] {
            assert_eq!(get(&client, path).await.code, read, "{token}");
            let answer =
                post(&client, path, &config_map("default", &format!("m{}", server.version()), "1")).await;
            assert_eq!(answer.code, write, "{token}");
            if write != 201 {
                assert_eq!(answer.json()["kind"], "Status");
            }
        }
    }
}

#[tokio::test]
async fn a_client_connects_with_the_kubeconfig() {
    use kube_client::config::{KubeConfigOptions, Kubeconfig};
    let server = ApiServer::start().await;
    let tls = open(&server, Listen::tls()).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    tls.listening.write_kubeconfig(file.path()).unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    for (context, code) in [("admin", 200), ("user", 403)] {
        let options = KubeConfigOptions { context: Some(context.to_owned()), ..KubeConfigOptions::default() };
        let kubeconfig = Kubeconfig::from_yaml(&text).unwrap();
        let config = kube_client::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
        let client = Client::try_from(config).unwrap();
        assert_eq!(get(&client, "/api/v1/pods").await.code, code, "{context}");
    }
}

#[tokio::test]
async fn http2_serves_several_watches_on_one_connection() {
    use http_body_util::{BodyExt, Empty};
    let server = ApiServer::start().await;
    let plain = open(&server, Listen::plain()).await;
    let socket = tokio::net::TcpStream::connect(plain.listening.address()).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(socket);
    let handshake = hyper::client::conn::http2::handshake(hyper_util::rt::TokioExecutor::new(), io);
    let (mut sender, connection) = handshake.await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let _ = connection.await;
    });
    let mut bodies = Vec::new();
    for _ in 0..3 {
        let request = http::Request::builder()
            .uri(format!("{}/api/v1/configmaps?watch=1", plain.listening.url()))
            .header("authorization", format!("Bearer {ADMIN_TOKEN}"))
            .body(Empty::<bytes::Bytes>::new())
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.version(), http::Version::HTTP_2);
        bodies.push(response.into_body());
    }
    server.put("configmaps", config_map("n", "a", "1"));
    for body in &mut bodies {
        let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(frame.starts_with(b"{\"type\":\"ADDED\""), "{frame:?}");
    }
}

#[tokio::test]
async fn closing_a_socket_closes_its_connections_and_ends_its_task() {
    let server = ApiServer::start().await;
    for drop_server in [false, true] {
        let server = if drop_server { ApiServer::start().await } else { server.clone() };
        let mut plain = open(&server, Listen::plain()).await;
        let mut events = watch(&client(&plain, ADMIN_TOKEN), "/api/v1/pods?watch=1").await;
        if drop_server {
            drop(server)
        } else {
            plain.listening.close()
        }
        assert_eq!(events.frame().await, Err(StreamEnd::Broken));
        let ended = tokio::time::timeout(Duration::from_secs(10), plain.tasks.join_next()).await;
        assert!(ended.unwrap().unwrap().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_server_ends_watches_and_refuses_requests_in_process() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut events = watch(&client, "/api/v1/pods?watch=1").await;
    drop(server);
    assert_eq!(events.frame().await, Err(StreamEnd::Broken));
    crate::requests::http_calls::call(http::Method::GET, "/api/v1/pods").fails(&client).await;
}

#[tokio::test]
async fn malformed_bytes_on_a_socket_do_not_stop_the_server() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = ApiServer::start().await;
    for listen in [Listen::plain(), Listen::tls()] {
        let open = open(&server, listen).await;
        for garbage in
            [&b"\x00\xff\x13"[..], b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxx"]
        {
            let mut socket = tokio::net::TcpStream::connect(open.listening.address()).await.unwrap();
            socket.write_all(garbage).await.unwrap();
            socket.shutdown().await.unwrap();
            let mut answer = Vec::new();
            let _ = socket.read_to_end(&mut answer).await;
        }
        assert_eq!(get(&client(&open, ADMIN_TOKEN), "/readyz").await.code, 200);
    }
    server.faults().cut_watches(Ending::Clean);
}
