//! Clients over a real socket on the loopback.

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

/// Answers each connection's first request with this and closes; gives the requests' heads.
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

    // The server has ended: were the 429 retried, it would have been answered by nobody.
    let heads = server.join_next().await.unwrap().unwrap();
    assert!(heads[0].starts_with("GET /prefix/api/v1/pods HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(heads[0].contains("authorization: Bearer sesame\r\n"), "{}", heads[0]);

    let error = list(client).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::ConnectionRefused, "{error}");
    assert!(!error.to_string().contains("sesame"));
}

// holds: R32
#[tokio::test]
async fn a_client_sends_its_credentials_retries_nothing_and_tells_when_nobody_listens() {
    check(|config| client_from_config(config).unwrap()).await;
}

#[tokio::test]
async fn a_client_for_http2_speaks_http1_where_the_server_does() {
    check(|config| http2_client(config).unwrap()).await;
}
