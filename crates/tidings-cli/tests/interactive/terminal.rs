//! `top` and the progress of the first list in a real terminal: tmux runs the built program, sends keys and reads the screen.

mod tmux;

use k8s_openapi::api::core::v1::Pod;
use libtest_mimic::{Completion, Trial};
use tidings::SharedInformerFactory;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_endpoints::Endpoints;
use tokio::task::JoinSet;

use crate::missing;
use crate::process::{ServedApi, pod};
use tmux::Tmux;

/// The name and the body of a test.
type Script = (&'static str, fn());

const SCRIPTS: [Script; 9] = [
    ("a_demo_is_shown_live_and_ends_with_q", a_demo_is_shown_live_and_ends_with_q),
    ("keys_filter_sort_and_open", keys_filter_sort_and_open),
    ("a_signal_restores_the_terminal", a_signal_restores_the_terminal),
    ("a_small_terminal_says_so_until_it_is_larger", a_small_terminal_says_so_until_it_is_larger),
    (
        "a_program_is_shown_until_it_ends_and_the_error_after",
        a_program_is_shown_until_it_ends_and_the_error_after,
    ),
    ("a_cluster_is_shown_through_local_informers", a_cluster_is_shown_through_local_informers),
    ("a_tiny_terminal_breaks_nothing", a_tiny_terminal_breaks_nothing),
    ("the_first_list_shows_its_progress", the_first_list_shows_its_progress),
    ("a_first_list_that_fails_shows_the_error", a_first_list_that_fails_shows_the_error),
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    SCRIPTS.into_iter().map(|(name, script)| {
        Trial::ignorable_test(name, move || {
            if !Tmux::is_installed() {
                return missing("tmux");
            }
            script();
            Ok(Completion::Completed)
        })
    })
}

fn a_demo_is_shown_live_and_ends_with_q() {
    let tmux = Tmux::start(120, 30);
    tmux.line("echo be''fore");
    tmux.tidings("top --demo");
    tmux.shows(&["a small cluster in this process", "INFORMER*", "pods", "healthy", "QUEUE", "replicas"]);
    // A rate needs two samples. The workload makes events all the time.
    tmux.shows_that("pods have events", |screen| {
        let figures = row(screen, "pods");
        figures.iter().any(|figure| figure.contains('.') && *figure != "0.0")
    });
    tmux.keys(&["q"]);
    tmux.shows(&["before", "ended=0"]);
    tmux.terminal_is_restored();
}

fn keys_filter_sort_and_open() {
    let tmux = Tmux::start(120, 30);
    tmux.tidings("top --demo");
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
    tmux.terminal_is_restored();
}

fn a_signal_restores_the_terminal() {
    let tmux = Tmux::start(120, 30);
    tmux.line("echo be''fore");
    tmux.tidings("top --demo");
    tmux.shows(&["INFORMER*", "pods"]);
    tmux.terminate();
    tmux.shows(&["before", "ended=0"]);
    tmux.terminal_is_restored();
}

fn a_small_terminal_says_so_until_it_is_larger() {
    let tmux = Tmux::start(50, 8);
    tmux.tidings("top --demo");
    tmux.shows(&["50x8 is too small: enlarge it"]);
    tmux.resize(120, 30);
    tmux.shows(&["INFORMER*", "pods", "healthy"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
}

fn a_program_is_shown_until_it_ends_and_the_error_after() {
    let tmux = Tmux::start(120, 30);
    let server = tmux.block_on(ApiServer::start());
    server.put("pods", pod("web-0", "node-1", "Running"));
    let factory = tmux.block_on(async { SharedInformerFactory::new(server.client()) });
    let pods = factory.informer::<Pod>();
    let _running = tmux.block_on(async { factory.start() });
    let (serving, task) =
        tmux.block_on(Endpoints::new(&factory).serve(([127, 0, 0, 1], 0))).expect("a port is free");
    let mut tasks = JoinSet::new();
    tmux.block_on(async { tasks.spawn(task.run()) });

    tmux.tidings(&format!("top --url {}", serving.address()));
    tmux.shows(&["pods", &serving.address().to_string()]);
    tmux.shows_that("there is one pod", |screen| row(screen, "pods").get(1) == Some(&"1"));
    server.put("pods", pod("web-1", "node-1", "Running"));
    tmux.shows_that("there are two pods", |screen| row(screen, "pods").get(1) == Some(&"2"));
    serving.stop();
    tmux.shows(&["no new sample: requesting", "refused", "pods"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
    drop(pods);
}

fn a_cluster_is_shown_through_local_informers() {
    let tmux = Tmux::start(120, 30);
    let served = served_pods(&tmux, 1);
    tmux.tidings(&format!("top po deploy --server {}", served.url));
    tmux.shows_that("there is one pod", |screen| row(screen, "pods").get(1) == Some(&"1"));
    tmux.shows(&["deployments", "healthy"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
}

fn a_tiny_terminal_breaks_nothing() {
    let tmux = Tmux::start(20, 5);
    tmux.tidings("top --demo");
    tmux.shows(&["20x5 is too small"]);
    tmux.keys(&["s", "Enter", "?", "x", "Escape", "Down"]);
    tmux.resize(120, 30);
    tmux.shows(&["INFORMER", "pods"]);
    tmux.resize(20, 5);
    tmux.shows(&["20x5 is too small"]);
    tmux.keys(&["q"]);
    tmux.shows(&["ended=0"]);
    tmux.terminal_is_restored();
}

fn the_first_list_shows_its_progress() {
    let tmux = Tmux::start(120, 30);
    let served = served_pods(&tmux, 5);
    served.server.faults().inject(Fault::StallStream { after_events: 3 }.once().of("pods"));
    tmux.tidings(&format!("watch pods --server {}", served.url));
    tmux.shows(&["3 objects of pods, ", "B, ", "/s"]);
    served.server.faults().cut_watches(Ending::Broken);
    tmux.shows(&["[ADD]     default/web-0  (initial)", "[ADD]     default/web-4  (initial)"]);
    tmux.shows_that("the progress is gone", |screen| !screen.contains("objects of"));
    tmux.terminate();
    tmux.shows(&["ended=0"]);
}

fn a_first_list_that_fails_shows_the_error() {
    let tmux = Tmux::start(120, 30);
    let served = served_pods(&tmux, 1);
    let fault = Fault::Status { code: 500, retry_after_seconds: None };
    served.server.faults().inject(fault.always().of("pods"));
    tmux.tidings(&format!("watch pods --server {}", served.url));
    tmux.shows(&["retrying: ", "pods in namespace default", "500"]);
    served.server.faults().clear();
    tmux.shows(&["[ADD]     default/web-0  (initial)"]);
    tmux.shows_that("the error is gone", |screen| !screen.contains("retrying"));
    tmux.terminate();
    tmux.shows(&["ended=0"]);
}

/// A server with this number of pods.
fn served_pods(tmux: &Tmux, pods: usize) -> ServedApi {
    let served = tmux.block_on(ServedApi::start());
    for number in 0..pods {
        served.put_pod(&format!("web-{number}"), "node-1", "Running");
    }
    served
}

/// The words of the row of an informer.
fn row<'a>(screen: &'a str, name: &str) -> Vec<&'a str> {
    let mut rows =
        screen.lines().map(|line| line.trim_start_matches("> ").split_whitespace().collect::<Vec<_>>());
    rows.find(|words| words.first() == Some(&name)).unwrap_or_default()
}
