//! Wrong arguments, no server, no permission: each gives one line that says what to do, and an exit code.

use tidings_apiserver::ApiServer;
use tidings_apiserver::Rights;

use crate::process::{ProcessOutput, ServedApi, run};

#[track_caller]
pub(crate) fn check(ended: &ProcessOutput, code: i32, says: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    for words in says {
        assert!(ended.stderr.contains(words), "{words:?} is not in {}", ended.stderr);
    }
}

#[tokio::test]
async fn an_error_about_an_argument_names_it_and_shows_a_correct_one() {
    let served = ServedApi::start().await;
    for (arguments, says) in [
        (&["-l", "=web"][..], &["--selector \"=web\"", "try app=web"][..]),
        (&["--field-selector", "a"], &["--field-selector \"a\"", "try metadata.name"]),
        (&["--index", "node"], &["--index \"node\"", "try node=.spec.nodeName"]),
        (&["--index", "node=.a["], &["--index \"node=.a[\""]),
        (&["-n", "Not_A_Name"], &["Not_A_Name"]),
        (&["--by", "node"], &["--by \"node\"", "try --by node=node-1"]),
        (&["--by", "node=1"], &["no index \"node\"", "--index"]),
    ] {
        let ended = run(&[&["get", "pods", "--server", &served.url], arguments].concat()).await;
        check(&ended, 2, says);
    }
    check(
        &run(&["get", "pods", "--server", "ftp://here"]).await,
        2,
        &["--server \"ftp://here\"", "http://127.0.0.1"],
    );
}

#[tokio::test]
async fn without_a_configuration_the_error_lists_the_options() {
    check(&run(&["watch", "pods"]).await, 3, &["no cluster is configured", "--kubeconfig", "--server"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    std::fs::write(&file, "users: [{name: a, user: {token: hunter2, }]").unwrap();
    let ended = run(&["watch", "pods", "--kubeconfig", file.to_str().unwrap()]).await;
    check(&ended, 3, &["not valid YAML", "config"]);
    assert!(!ended.stderr.contains("hunter2"));
    let ended = run(&["watch", "pods", "--kubeconfig", "/nonexistent/file"]).await;
    check(&ended, 3, &["/nonexistent/file"]);
}

#[tokio::test]
async fn an_unreachable_server_is_named() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ended = run(&["get", "pods", "--server", &format!("http://127.0.0.1:{port}")]).await;
    check(&ended, 3, &["refused", "is the server running"]);
}

#[tokio::test]
async fn an_address_that_is_no_api_server_is_an_error() {
    let served = ServedApi::start().await;
    let ended = run(&["get", "pods", "--server", &format!("{}/elsewhere", served.url)]).await;
    check(&ended, 5, &["404", "address of an API server"]);
}

#[tokio::test]
async fn a_field_that_the_server_can_not_select_by_is_an_error_at_once() {
    let served = ServedApi::start().await;
    for command in ["watch", "get"] {
        let arguments = [command, "pods", "--server", &served.url, "--field-selector", "spec.oops=1"];
        check(&run(&arguments).await, 2, &["400", "spec.oops", "--field-selector"]);
    }
}

#[tokio::test]
async fn missing_permission_is_an_error_at_once() {
    let unauthenticated = ServedApi::over(ApiServer::start().await).await;
    check(&run(&["watch", "pods", "--server", &unauthenticated.url]).await, 4, &["401", "--context"]);
    let powerless = ServedApi::over(ApiServer::builder().anonymous(Rights::Nothing).start().await).await;
    check(&run(&["watch", "pods", "--server", &powerless.url]).await, 4, &["403", "ask an administrator"]);
}

#[tokio::test]
async fn an_unknown_resource_is_named() {
    let served = ServedApi::start().await;
    check(
        &run(&["watch", "gadgets", "--server", &served.url]).await,
        5,
        &["\"gadgets\"", "kubectl api-resources"],
    );
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    check(&run(&["serve", "--port", &port]).await, 1, &[&port, "--port 0"]);
}
