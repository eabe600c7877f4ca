//! The live view as people see it: the built program in a real terminal, which is tmux's, typed at and read.
//!
//! Without tmux, each test is shown as ignored with the reason; under `CI=true` it fails instead.

#![allow(missing_docs, reason = "tests")]

mod tmux;

use std::process::ExitCode;

use k8s_openapi::api::core::v1::Pod;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings_apiserver::auth::Rights;
use tidings_apiserver::{ApiServer, Listen};
use tidings_endpoints::Endpoints;
use tokio::task::JoinSet;

use tmux::Tmux;

/// A test: its name, and what is typed and read.
type Script = (&'static str, fn());

const SCRIPTS: [Script; 6] = [
    ("a_demo_is_shown_live_and_ends_with_q", a_demo_is_shown_live_and_ends_with_q),
    ("keys_filter_sort_and_open", keys_filter_sort_and_open),
    ("a_signal_gives_the_terminal_back", a_signal_gives_the_terminal_back),
    ("a_small_terminal_says_so_until_it_is_larger", a_small_terminal_says_so_until_it_is_larger),
    (
        "a_program_is_shown_until_it_ends_and_why_not_after",
        a_program_is_shown_until_it_ends_and_why_not_after,
    ),
    ("a_cluster_is_shown_through_informers_of_our_own", a_cluster_is_shown_through_informers_of_our_own),
];

fn main() -> ExitCode {
    let trial = |(name, script): Script| {
        Trial::ignorable_test(name, move || {
            if !Tmux::is_at_hand() {
                return missing();
            }
            script();
            Ok(Completion::Completed)
        })
    };
    libtest_mimic::run(&Arguments::from_args(), SCRIPTS.into_iter().map(trial).collect()).exit_code()
}

fn missing() -> Result<Completion, Failed> {
    let reason = "tmux is not on the path";
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        Err(reason.into())
    } else {
        Ok(Completion::ignored_with(reason))
    }
}

fn a_demo_is_shown_live_and_ends_with_q() {
    let tmux = Tmux::start(120, 30);
    tmux.line("echo be''fore");
    tmux.top("--demo");
    tmux.shows(&["a small cluster in this process", "INFORMER*", "pods", "healthy", "QUEUE", "replicas"]);
    // A rate needs two samples, and the workload makes events all the time.
    tmux.shows_that("pods have events", |screen| {
        let figures = row(screen, "pods");
        figures.iter().any(|figure| figure.contains('.') && *figure != "0.0")
    });
    tmux.keys(&["q"]);
    tmux.shows(&["before", "ended=0"]);
    tmux.is_as_it_was();
}

fn keys_filter_sort_and_open() {
    let tmux = Tmux::start(120, 30);
    tmux.top("--demo");
    tmux.shows(&["pods", "nodes", "deployments"]);
    tmux.keys(&["s", "s", "r"]);
    tmux.shows(&["BYTES^"]);
    tmux.keys(&["/", "p", "o", "d"]);
    tmux.shows(&["filter: pod_"]);
    tmux.shows_that("only pods are there", |screen| {
        !row(screen, "pods").is_empty() && row(screen, "nodes").is_empty()
    });
    tmux.keys(&["Enter", "Enter"]);
    tmux.shows(&["STREAMS", "all namespaces: watching", "HANDLERS", "MEMORY"]);
    tmux.keys(&["?"]);
    tmux.shows(&["sort by the next column"]);
    tmux.keys(&["x", "Escape"]);
    tmux.shows(&["INFORMER", "/ filter: pod"]);
    tmux.keys(&["C-c"]);
    tmux.shows(&["ended=0"]);
    tmux.is_as_it_was();
}

fn a_signal_gives_the_terminal_back() {
    let tmux = Tmux::start(120, 30);
    tmux.line("echo be''fore");
    tmux.top("--demo");
    tmux.shows(&["INFORMER*", "pods"]);
    tmux.terminate();
    tmux.shows(&["before", "ended=0"]);
    tmux.is_as_it_was();
}

fn a_small_terminal_says_so_until_it_is_larger() {
    let tmux = Tmux::start(50, 8);
    tmux.top("--demo");
    tmux.shows(&["50x8 is too small: make it"]);
    tmux.resize(120, 30);
    tmux.shows(&["INFORMER*", "pods", "healthy"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
}

fn a_program_is_shown_until_it_ends_and_why_not_after() {
    let tmux = Tmux::start(120, 30);
    let server = tmux.block_on(ApiServer::start());
    server.put("pods", pod("web-0"));
    let factory = tmux.block_on(async { SharedInformerFactory::new(server.client()) });
    let pods = factory.informer::<Pod>();
    let _running = tmux.block_on(async { factory.start() });
    let (serving, task) =
        tmux.block_on(Endpoints::new(&factory).serve(([127, 0, 0, 1], 0))).expect("a port is free");
    let mut tasks = JoinSet::new();
    tmux.block_on(async { tasks.spawn(task.run()) });

    tmux.top(&format!("--url {}", serving.address()));
    tmux.shows(&["pods", &serving.address().to_string()]);
    tmux.shows_that("there is one pod", |screen| row(screen, "pods").get(1) == Some(&"1"));
    server.put("pods", pod("web-1"));
    tmux.shows_that("there are two pods", |screen| row(screen, "pods").get(1) == Some(&"2"));
    serving.stop();
    tmux.shows(&["no news: asking", "refused", "pods"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
    drop(pods);
}

fn a_cluster_is_shown_through_informers_of_our_own() {
    let tmux = Tmux::start(120, 30);
    let server = tmux.block_on(ApiServer::builder().anonymous(Rights::Admin).start());
    server.put("pods", pod("web-0"));
    let (listening, serving) = tmux.block_on(server.listen(Listen::plain())).expect("a port is free");
    let mut tasks = JoinSet::new();
    tmux.block_on(async { tasks.spawn(serving) });
    tmux.top(&format!("po deploy --server {}", listening.url()));
    tmux.shows_that("there is one pod", |screen| row(screen, "pods").get(1) == Some(&"1"));
    tmux.shows(&["deployments", "healthy"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
}

/// The words of the line of this informer.
fn row<'a>(screen: &'a str, name: &str) -> Vec<&'a str> {
    let mut rows =
        screen.lines().map(|line| line.trim_start_matches("> ").split_whitespace().collect::<Vec<_>>());
    rows.find(|words| words.first() == Some(&name)).unwrap_or_default()
}

fn pod(name: &str) -> serde_json::Value {
    json!({ "metadata": { "namespace": "default", "name": name }, "spec": { "containers": [] } })
}
