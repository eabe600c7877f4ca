//! The errors of `top`.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::bad_input::check;
use crate::process::{ServedApi, run};

/// A server with the same response to every request.
async fn answering(answer: &'static str) -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 4096]).await;
            let head =
                format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", answer.len());
            let _ = socket.write_all(format!("{head}{answer}").as_bytes()).await;
        }
    });
    (url, tasks)
}

#[tokio::test]
async fn without_a_terminal_top_says_that_it_needs_one() {
    check(&run(&["top", "--demo"]).await, 2, &["needs a terminal", "/informers"]);
    let (url, _tasks) = answering(r#"{"informers":[]}"#).await;
    check(&run(&["top", "--url", &url]).await, 2, &["needs a terminal"]);
}

#[tokio::test]
async fn an_unreachable_program_is_named_without_its_password() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ended = run(&["top", "--url", &format!("http://admin:hunter2@127.0.0.1:{port}")]).await;
    check(&ended, 3, &["refused", &port.to_string(), "is the address right"]);
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_response_that_is_not_diagnostics_is_an_error() {
    for wrong in ["<html>", "{}", r#"{"informers":7}"#, ""] {
        let (url, _tasks) = answering(wrong).await;
        check(&run(&["top", "--url", &url]).await, 1, &["not diagnostics", "is the address right"]);
    }
    let served = ServedApi::start().await;
    check(&run(&["top", "--url", &served.url]).await, 5, &["404", "tidings-endpoints"]);
    check(&run(&["top", "--url", "ftp://here"]).await, 2, &["--url \"ftp://here\""]);
}

#[tokio::test]
async fn an_unreachable_cluster_is_the_usual_error() {
    check(&run(&["top", "pods"]).await, 3, &["no cluster is configured", "--server"]);
    let served = ServedApi::start().await;
    check(&run(&["top", "gadgets", "--server", &served.url]).await, 5, &["\"gadgets\""]);
}
