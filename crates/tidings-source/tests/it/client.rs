//! Clients over a real socket on the loopback.

use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube_client::{Client, Config};
use tidings_object::Kind as _;
use tidings_source::{
    ErrorClass, KubeSource, ListOptions, ListPart, ListWatch as _, SourceError, client_from_config,
    http2_client,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Answers the first request of each connection and closes it. Returns the heads of the requests.
async fn serve(listener: TcpListener, answers: &'static [&'static str]) -> Vec<String> {
    let mut heads = Vec::new();
    for answer in answers {
        let (mut peer, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(peer.read_u8().await.unwrap());
        }
        heads.push(String::from_utf8(head).unwrap());
        peer.write_all(answer.as_bytes()).await.unwrap();
    }
    heads
}

async fn list(client: Client) -> Result<Vec<ListPart>, SourceError> {
    let source = KubeSource::builder(client, Pod::resource()).build().unwrap();
    let page = source.list(ListOptions::default()).await?;
    page.collect::<Vec<_>>().await.into_iter().collect()
}

const LIST: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\
    {\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\"},\
    \"items\":[{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"}}]}";

const BUSY: &str =
    "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

async fn check(make: fn(Config) -> Client) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut server = JoinSet::new();
    server.spawn(serve(listener, &[LIST, BUSY]));
    let mut config = Config::new(format!("http://{address}/prefix").parse().unwrap());
    config.auth_info.token = Some("sesame".to_owned().into());
    let client = make(config);

    let parts = list(client.clone()).await.unwrap();
    assert!(matches!(&parts[0], ListPart::Object(pod) if pod.name() == "x"));
    assert_eq!(list(client.clone()).await.unwrap_err().class(), ErrorClass::TooManyRequests);

    // The server has ended: a retry of the 429 would have failed to connect.
    let heads = server.join_next().await.unwrap().unwrap();
    assert!(heads[0].starts_with("GET /prefix/api/v1/pods HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(heads[0].contains("authorization: Bearer sesame\r\n"), "{}", heads[0]);

    let error = list(client).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::ConnectionRefused, "{error}");
    assert!(!error.to_string().contains("sesame"));
}

// holds: R32
#[tokio::test]
async fn a_client_sends_its_credentials_retries_nothing_and_reports_a_refused_connection() {
    check(|config| client_from_config(config).unwrap()).await;
}

#[tokio::test]
async fn an_http2_client_uses_http1_if_the_server_does() {
    check(|config| http2_client(config).unwrap()).await;
}

/// Accepts connections, keeps them open, and neither reads nor writes.
async fn never_answer(listener: TcpListener) {
    let mut peers = Vec::new();
    loop {
        peers.push(listener.accept().await.unwrap());
    }
}

/// The error of a list from a server that never answers. The test fails if no timeout of the configuration applies.
async fn unanswered(scheme: &str, set: fn(&mut Config), make: fn(Config) -> Client) -> SourceError {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("{scheme}://{}", listener.local_addr().unwrap()).parse().unwrap());
    let mut server = JoinSet::new();
    server.spawn(never_answer(listener));
    set(&mut config);
    let ended = timeout(Duration::from_secs(60), list(make(config))).await;
    ended.expect("the limit is honoured").unwrap_err()
}

const SOON: Duration = Duration::from_millis(100);

fn http1(config: Config) -> Client {
    client_from_config(config).unwrap()
}

fn http2(config: Config) -> Client {
    http2_client(config).unwrap()
}

// holds: X41
#[tokio::test]
async fn a_server_that_never_answers_is_abandoned_after_the_read_timeout() {
    for make in [http1, http2] {
        let error = unanswered("http", |config| config.read_timeout = Some(SOON), make).await;
        assert_eq!(error.class(), ErrorClass::Network, "{error}");
    }
}

// holds: X41
#[tokio::test]
async fn a_server_that_never_finishes_the_tls_handshake_is_abandoned_after_the_connect_timeout() {
    for make in [http1, http2] {
        let error = unanswered("https", |config| config.connect_timeout = Some(SOON), make).await;
        assert_eq!(error.class(), ErrorClass::Network, "{error}");
    }
}

// holds: X41
#[tokio::test]
async fn a_server_that_reads_nothing_is_abandoned_after_the_write_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = Config::new(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
    let mut server = JoinSet::new();
    server.spawn(never_answer(listener));
    config.write_timeout = Some(SOON);
    // More than the socket buffers hold.
    let request = http::Request::post("/api/v1/namespaces/a/pods").body(vec![b' '; 64 << 20]).unwrap();
    let ended = timeout(Duration::from_secs(60), http1(config).request_text(request)).await;
    ended.expect("the limit is honoured").unwrap_err();
}
