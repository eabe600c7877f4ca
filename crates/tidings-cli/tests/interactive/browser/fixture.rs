//! An API server and a dashboard that can both be stopped and restarted at the same address.

use std::net::SocketAddr;

use serde_json::Value;
use tidings_apiserver::Rights;
use tidings_apiserver::{ApiServer, Listen};
use tokio::task::JoinSet;

use super::driver::Browser;
use crate::process::{RunningProgram, pod};

/// An API server, a dashboard and a browser that shows it.
pub(crate) struct BrowserFixture {
    pub(crate) server: ApiServer,
    pub(crate) browser: Browser,
    serving: JoinSet<()>,
    server_address: SocketAddr,
    dashboard: Option<RunningProgram>,
    /// The arguments of the dashboard, with the port that it chose.
    arguments: Vec<String>,
}

impl BrowserFixture {
    /// Starts everything with these pods, each a name and a node.
    pub(crate) async fn with_pods(pods: &[(&str, &str)]) -> BrowserFixture {
        let server = ApiServer::builder().anonymous(Rights::Admin).start().await;
        for (name, node) in pods {
            server.put("pods", pod(name, node, "Pending"));
        }
        let mut serving = JoinSet::new();
        let server_address = serve(&server, ([127, 0, 0, 1], 0).into(), &mut serving).await;
        let api = format!("http://{server_address}");
        let mut arguments: Vec<String> =
            ["dashboard", "pods", "nodes", "--server", &api].map(str::to_owned).to_vec();
        let (dashboard, url) = start(&arguments).await;
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        arguments.extend(["--listen".to_owned(), address.to_owned()]);
        let browser = Browser::open(&url).await;
        BrowserFixture { server, browser, serving, server_address, dashboard: Some(dashboard), arguments }
    }

    pub(crate) fn put_pod(&self, name: &str, node: &str, phase: &str) {
        self.server.put("pods", pod(name, node, phase));
    }

    pub(crate) fn put(&self, resource: &str, object: Value) {
        self.server.put(resource, object);
    }

    /// Stops listening and closes every connection.
    pub(crate) async fn stop_server(&mut self) {
        self.serving.shutdown().await;
    }

    pub(crate) async fn start_server(&mut self) {
        serve(&self.server, self.server_address, &mut self.serving).await;
    }

    pub(crate) async fn stop_dashboard(&mut self) {
        let mut dashboard = self.dashboard.take().expect("it runs");
        dashboard.terminate().await;
        assert_eq!(dashboard.ended().await, 0);
    }

    pub(crate) async fn start_dashboard(&mut self) {
        self.dashboard = Some(start(&self.arguments).await.0);
    }

    pub(crate) async fn end(mut self) {
        self.stop_dashboard().await;
    }
}

async fn serve(server: &ApiServer, address: SocketAddr, tasks: &mut JoinSet<()>) -> SocketAddr {
    let (listening, serving) = server.listen(Listen::plain().on(address)).await.expect("the port is free");
    let bound = listening.address();
    tasks.spawn(async move {
        serving.await;
        drop(listening);
    });
    bound
}

/// A dashboard, and the URL that it printed.
pub(crate) async fn start(arguments: &[String]) -> (RunningProgram, String) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut dashboard = RunningProgram::start(&arguments);
    let url = dashboard.line().await.expect("it prints its address");
    (dashboard, url)
}
