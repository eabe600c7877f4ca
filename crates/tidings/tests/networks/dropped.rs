//! Packets that are dropped without a reset, as after a power failure or by a firewall that has lost its state.
//!
//! The API server and the test each run in their own network namespace. A pair of virtual interfaces connects them. A route
//! in the namespace of the server drops all packets that it sends, so that nothing is acknowledged or reset. User
//! namespaces make this possible without root. Where they are forbidden, the test is reported as ignored.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use kube_client::Config;
use libtest_mimic::{Completion, Failed};
use tidings::Version;
use tidings::client_from_config;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Listen};
use tokio::time::{Instant, timeout};

use crate::fixture::{Follower, put};

/// The environment variable that selects a role instead of running tests.
const ROLE: &str = "TIDINGS_NETWORKS_ROLE";
const CLIENT: &str = "client";
const SERVER: &str = "server";

/// Addresses that exist only in the two namespaces.
const CLIENT_ADDRESS: &str = "10.77.0.1";
const SERVER_ADDRESS: &str = "10.77.0.2";

/// Sockets time out after 30 s. Without that limit keep-alive takes two minutes, and a write fifteen.
const NOTICED_WITHIN: Duration = Duration::from_secs(60);

/// Runs a role instead of the tests, if the environment selects one.
pub(crate) fn run_role() -> bool {
    let runtime = || crate::runtime().expect("a runtime can be made");
    match std::env::var(ROLE).as_deref() {
        Ok(CLIENT) => runtime().block_on(client()),
        Ok(SERVER) => runtime().block_on(server()),
        _ => return false,
    }
    true
}

/// Runs the test in its own namespace, or returns why it can't.
pub(crate) fn test() -> Result<Completion, Failed> {
    if let Err(error) = Command::new("ip").arg("-Version").output() {
        let reason = format!("ip is not on the path ({error})");
        let is_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        return if is_ci { Err(reason.into()) } else { Ok(Completion::ignored_with(reason)) };
    }
    let pair = ["ip", "link", "add", "ta", "type", "veth", "peer", "name", "tb"];
    let allowed = Command::new("unshare").args(["--map-root-user", "--net"]).args(pair).output();
    match allowed {
        Ok(allowed) if allowed.status.success() => {}
        Ok(refused) => {
            let reason = String::from_utf8_lossy(&refused.stderr).trim().to_owned();
            return Ok(Completion::ignored_with(format!("no network namespaces here: {reason}")));
        }
        Err(error) => return Ok(Completion::ignored_with(format!("unshare is not on the path ({error})"))),
    }
    let program = std::env::current_exe()?;
    let run =
        Command::new("unshare").args(["--map-root-user", "--net"]).arg(program).env(ROLE, CLIENT).output()?;
    if run.status.success() {
        return Ok(Completion::Completed);
    }
    Err(format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr)).into())
}

/// The API server in its namespace, controlled by its standard input and output.
struct Server {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Starts it, connects the two namespaces, and lets it listen. Returns its URL too.
    fn start() -> (Server, String) {
        let mut child = Command::new("unshare")
            .arg("--net")
            .arg(std::env::current_exe().expect("the program has a path"))
            .env(ROLE, SERVER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let commands = child.stdin.take().expect("its input is piped");
        let answers = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut server = Server { child, commands, answers };
        // Its first line shows that it is in its namespace.
        server.ask("hello");
        let pid = server.child.id().to_string();
        ip(&["link", "add", "ta", "type", "veth", "peer", "name", "tb", "netns", &pid]);
        ip(&["address", "add", &format!("{CLIENT_ADDRESS}/24"), "dev", "ta"]);
        ip(&["link", "set", "ta", "up"]);
        server.ip(&["address", "add", &format!("{SERVER_ADDRESS}/24"), "dev", "tb"]);
        server.ip(&["link", "set", "tb", "up"]);
        let url = server.ask("listen");
        (server, url)
    }

    fn ask(&mut self, command: &str) -> String {
        writeln!(self.commands, "{command}").expect("it listens");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        answer.trim().to_owned()
    }

    fn put(&mut self, name: &str) -> Version {
        Version::new(&self.ask(name))
    }

    /// Runs `ip` in its namespace.
    fn ip(&self, arguments: &[&str]) {
        let pid = self.child.id().to_string();
        run(Command::new("nsenter").args(["--target", &pid, "--net", "ip"]).args(arguments));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ip(arguments: &[&str]) {
    run(Command::new("ip").args(arguments));
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program is there");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

async fn server() {
    let server = ApiServer::start().await;
    let mut tasks = tokio::task::JoinSet::new();
    let mut doors = Vec::new();
    for command in std::io::stdin().lines() {
        let answer = match command.expect("a line").as_str() {
            "hello" => "hello".to_owned(),
            "listen" => {
                let address = format!("{SERVER_ADDRESS}:0").parse().expect("an address");
                doors.push(crate::fixture::open(&server, Listen::plain().on(address), &mut tasks).await);
                doors[0].url()
            }
            name => put(&server, name).to_string(),
        };
        writeln!(std::io::stdout(), "{answer}").expect("the test reads it");
    }
}

async fn client() {
    let (mut server, url) = Server::start();
    let mut config = Config::new(url.parse().expect("a URL"));
    config.auth_info.token = Some(ADMIN_TOKEN.to_owned().into());
    let client = client_from_config(config).unwrap();
    let follower = Follower::start(client.clone()).await;
    let before = server.put("before");
    follower.has("before", &before).await;
    // This connection returns to the pool, and is used again after the cut.
    client.apiserver_version().await.unwrap();

    server.ip(&["route", "add", "blackhole", CLIENT_ADDRESS]);
    let cut_at = Instant::now();
    let during = server.put("during");
    let (written, reported) = tokio::join!(
        async {
            let written = timeout(NOTICED_WITHIN, client.apiserver_version()).await;
            (written.map(|written| written.is_err()), cut_at.elapsed())
        },
        async {
            let reported = timeout(NOTICED_WITHIN, follower.reports("")).await;
            (reported.is_ok(), cut_at.elapsed())
        }
    );
    assert!(matches!(written, (Ok(true), _)), "a write on a dead connection fails: {written:?}");
    assert!(reported.0, "a dead watch is noticed: {reported:?}");

    server.ip(&["route", "delete", "blackhole", CLIENT_ADDRESS]);
    follower.has("during", &during).await;
    follower.end().await;
}
