//! A headless browser, controlled by WebDriver: the part of the protocol that the tests need.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use http::{Method, Request};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::http_client::send;

/// How long a page may take until a condition holds. Only a hang takes longer.
const TIMEOUT: Duration = Duration::from_secs(45);

/// The key of an element reference in the WebDriver protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub(crate) const TAB: &str = "\u{E004}";
pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const ESCAPE: &str = "\u{E00C}";

/// A browser with one open page. It ends when this is dropped.
pub(crate) struct Browser {
    address: String,
    session: String,
    _driver: Child,
    _profile: TempDir,
}

pub(crate) fn is_on_the_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Browser {
    pub(crate) async fn open(url: &str) -> Browser {
        let (driver, port) = start_driver().await;
        let address = format!("127.0.0.1:{port}");
        let profile = tempfile::tempdir().expect("a temporary folder can be made");
        let data = format!("--user-data-dir={}", profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            // A page of 1280x800 pixels, plus the controls of the browser.
            "--window-size=1280,943",
            &data,
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "timeouts": { "script": TIMEOUT.as_millis() as u64 },
            "goog:chromeOptions": { "args": arguments },
        } } });
        let made = command(&address, Method::POST, "/session", Some(&wanted)).await;
        let session = made["sessionId"].as_str().expect("a session has a name").to_owned();
        let browser = Browser { address, session, _driver: driver, _profile: profile };
        browser.post("/url", &json!({ "url": url })).await;
        browser
    }

    /// Runs a script and returns its result.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] })).await
    }

    /// Waits until an expression is true in the page. A script in the page polls it.
    pub(crate) async fn until(&self, expression: &str) {
        let script = format!(
            "const done = arguments[0];
             const until = performance.now() + {};
             const poll = () => {{
               let holds = false;
               try {{ holds = Boolean({expression}); }} catch {{}}
               if (holds) done(null);
               else if (performance.now() > until) done(document.body.innerText);
               else setTimeout(poll, 50);
             }};
             poll();",
            TIMEOUT.as_millis() - 5_000
        );
        let page = self.post("/execute/async", &json!({ "script": script, "args": [] })).await;
        assert!(page.is_null(), "this was never true: {expression}\n{}", page.as_str().unwrap_or_default());
    }

    pub(crate) async fn click(&self, selector: &str) {
        let element = self.element(selector).await;
        self.post(&format!("/element/{element}/click"), &json!({})).await;
    }

    /// Types into an element, key by key.
    pub(crate) async fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector).await;
        self.post(&format!("/element/{element}/value"), &json!({ "text": text })).await;
    }

    /// Sends keys to the focused element.
    pub(crate) async fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
        });
        let strokes: Vec<Value> = strokes.collect();
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }))
            .await;
    }

    /// Selects an entry of a list with the mouse.
    pub(crate) async fn choose(&self, list: &str, value: &str) {
        self.click(&format!("{list} option[value='{value}']")).await;
    }

    /// A screenshot as PNG.
    pub(crate) async fn screenshot(&self) -> Vec<u8> {
        use base64::Engine as _;
        let path = format!("/session/{}/screenshot", self.session);
        let picture = command(&self.address, Method::GET, &path, None).await;
        let picture = picture.as_str().expect("a picture is text in base64");
        base64::engine::general_purpose::STANDARD.decode(picture).expect("a picture is in base64")
    }

    async fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({ "using": "css selector", "value": selector })).await;
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {selector}")).to_owned()
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        command(&self.address, Method::POST, &format!("/session/{}{path}", self.session), Some(body)).await
    }
}

/// Ends the session, because the processes of the browser would outlive the killed driver. It uses a blocking socket, because
/// a test that panics has no runtime any more.
impl Drop for Browser {
    fn drop(&mut self) {
        let (address, session) = (&self.address, &self.session);
        let Ok(mut driver) = std::net::TcpStream::connect(address) else { return };
        let request =
            format!("DELETE /session/{session} HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n");
        let _ = driver.set_read_timeout(Some(Duration::from_secs(10)));
        let _ = driver.write_all(request.as_bytes());
        let _ = driver.read(&mut [0; 1024]);
    }
}

/// Starts the driver and reads the port that it prints.
async fn start_driver() -> (Child, u16) {
    let mut command = Command::new("chromedriver");
    command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut driver = command.spawn().expect("the driver starts");
    let mut lines = BufReader::new(driver.stdout.take().expect("it is piped")).lines();
    let listening = async {
        while let Some(line) = lines.next_line().await.expect("the driver prints text") {
            // An earlier line contains the requested port 0.
            let port = line.split_once("successfully on port ").map(|(_, port)| port.trim_end_matches('.'));
            if let Some(port) = port.and_then(|port| port.parse().ok()) {
                return port;
            }
        }
        panic!("the driver ended before it listened");
    };
    let port = tokio::time::timeout(TIMEOUT, listening).await.expect("the driver listens in time");
    (driver, port)
}

async fn command(address: &str, method: Method, path: &str, body: Option<&Value>) -> Value {
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = Request::builder().method(method).uri(path).header("host", address);
    let request = request.header("content-type", "application/json").header("content-length", body.len());
    let answer = send(address, request.body(body).expect("it is a request")).await;
    let mut response = answer.json();
    assert_eq!(answer.status, 200, "{path}: {}", response["value"]["message"]);
    response["value"].take()
}
