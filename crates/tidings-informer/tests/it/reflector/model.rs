//! Model test: after any faults in any order, the sink equals the server.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use tidings_informer::reflector::ReflectorConfig;
use tidings_object::{RawObject, Version};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ChangeType, ErrorKind, ListOptions, WatchEvent, WatchOptions};
use tokio::time::sleep;

use crate::reflector::harness::*;

/// One step of a test run.
#[derive(Debug, Clone)]
enum ServerStep {
    /// The server stores this object, or deletes it if it has it.
    Toggle(u8),
    /// The server stores this object.
    Write(u8),
    /// The server drops its history: older versions expire.
    Compact,
    /// The server is restored from a backup that is older than what it has sent.
    Restore,
    /// The next request fails.
    Fault(RequestFault),
    /// Time passes.
    Wait(u16),
}

/// The failure of one request.
#[derive(Debug, Clone)]
enum RequestFault {
    Status(u16, &'static str),
    Refused,
    Hangs,
    /// The stream breaks after this many parts.
    Breaks(u8, Breakage),
}

#[derive(Debug, Clone)]
enum Breakage {
    Connection,
    Malformed,
    Closed,
    Silence,
    Error(u16, &'static str),
}

/// The parts of an API server that a reflector uses.
#[derive(Default)]
struct ModelServer {
    version: u64,
    objects: BTreeMap<String, Arc<RawObject>>,
    history: Vec<(u64, ChangeType, Arc<RawObject>)>,
    compacted: u64,
    faults: VecDeque<RequestFault>,
    pages: BTreeMap<String, (u64, Vec<Arc<RawObject>>)>,
    backup: Option<(u64, BTreeMap<String, Arc<RawObject>>)>,
}

impl ModelServer {
    fn change(&mut self, number: u8, may_delete: bool) {
        let name = format!("pod-{}", number % 12);
        self.version += 1;
        let object = pod(&name, self.version);
        let change = match self.objects.contains_key(&name) {
            true if may_delete => ChangeType::Deleted,
            true => ChangeType::Modified,
            false => ChangeType::Added,
        };
        match change {
            ChangeType::Deleted => self.objects.remove(&name),
            _ => self.objects.insert(name, Arc::clone(&object)),
        };
        self.history.push((self.version, change, object));
        if self.version == 10 {
            self.backup = Some((self.version, self.objects.clone()));
        }
    }

    fn compact(&mut self) {
        self.compacted = self.version;
        self.history.clear();
        self.pages.clear();
    }

    fn restore(&mut self) {
        let Some((version, objects)) = self.backup.clone() else { return };
        (self.version, self.objects) = (version, objects);
        self.compact();
    }

    fn next_failure(&mut self, version: Option<&Version>, is_list: bool) -> Option<ErrorKind> {
        let requested = version.and_then(Version::number).unwrap_or(0);
        if requested > self.version {
            return Some(status(504, "Timeout", "Too large resource version"));
        }
        if !is_list && version.is_some() && requested < self.compacted {
            return Some(status(410, "Expired", ""));
        }
        None
    }

    fn list(&mut self, options: &ListOptions) -> ListResponse {
        let fault = self.faults.pop_front();
        match &fault {
            Some(RequestFault::Status(code, reason)) => return ListResponse::status(*code, reason),
            Some(RequestFault::Refused) => return ListResponse::refused(refused()),
            Some(RequestFault::Hangs) => return ListResponse::hanging(),
            Some(RequestFault::Breaks(..)) | None => {}
        }
        if let Some(kind) = self.next_failure(options.version.as_ref(), true) {
            return ListResponse::refused(kind);
        }
        let (version, mut objects) = match &options.continue_token {
            None => (self.version, self.objects.values().cloned().collect()),
            Some(token) => match self.pages.get(token) {
                Some(page) => page.clone(),
                None => return ListResponse::status(410, "Expired"),
            },
        };
        let rest = match options.limit {
            Some(_) if objects.len() > 3 => objects.split_off(3),
            _ => Vec::new(),
        };
        if let Some(RequestFault::Breaks(after, breakage)) = fault {
            let answer = ListResponse::page(version).objects(objects.iter().take(after.into()));
            return match breakage {
                Breakage::Malformed => answer.broken(malformed()),
                Breakage::Silence => answer.hang(),
                _ => answer.broken(broken_connection()),
            };
        }
        let answer = ListResponse::page(version).objects(&objects);
        if rest.is_empty() {
            return answer;
        }
        let token = format!("{version}-{}", rest.len());
        self.pages.insert(token.clone(), (version, rest));
        answer.next_page(&token)
    }

    fn watch(&mut self, options: &WatchOptions) -> WatchResponse {
        let fault = self.faults.pop_front();
        let breakage = match fault {
            Some(RequestFault::Status(code, reason)) => return WatchResponse::status(code, reason),
            Some(RequestFault::Refused) => return WatchResponse::refused(refused()),
            Some(RequestFault::Hangs) => return WatchResponse::hanging(),
            Some(RequestFault::Breaks(after, breakage)) => Some((usize::from(after), breakage)),
            None => None,
        };
        if let Some(kind) = self.next_failure(options.version.as_ref(), options.send_initial_events) {
            return WatchResponse::refused(kind);
        }
        let from = options.version.as_ref().and_then(Version::number).unwrap_or(0);
        let changed = |change, object: &Arc<RawObject>| WatchEvent::Changed(change, Arc::clone(object));
        let mut events: Vec<_> = if options.send_initial_events {
            self.objects.values().map(|object| changed(ChangeType::Added, object)).collect()
        } else {
            let newer = self.history.iter().filter(|(version, ..)| *version > from);
            newer.map(|(_, change, object)| changed(*change, object)).collect()
        };
        let version = Version::from(self.version);
        events.push(WatchEvent::Bookmark { version, is_initial_events_end: options.send_initial_events });
        events.truncate(breakage.as_ref().map_or(usize::MAX, |(after, _)| *after));
        let watch = events.into_iter().fold(WatchResponse::open(), WatchResponse::event);
        match breakage.map(|(_, breakage)| breakage) {
            // The next watch has the later changes.
            None => watch.wait(Duration::from_secs(20)),
            Some(Breakage::Connection) => watch.broken(broken_connection()),
            Some(Breakage::Malformed) => watch.broken(malformed()),
            Some(Breakage::Closed) => watch,
            Some(Breakage::Silence) => watch.hang(),
            Some(Breakage::Error(code, reason)) => watch.error(code, reason),
        }
    }

    fn names(&self) -> Vec<String> {
        self.objects.values().map(|object| format!("{}@{}", object.name(), object.version())).collect()
    }
}

fn statuses() -> impl Strategy<Value = (u16, &'static str)> {
    prop::sample::select(vec![
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (410, "Expired"),
        (410, "Gone"),
        (422, "Invalid"),
        (429, "TooManyRequests"),
        (500, "InternalError"),
        (503, "ServiceUnavailable"),
    ])
}

fn faults() -> impl Strategy<Value = RequestFault> {
    let breakage = prop_oneof![
        Just(Breakage::Connection),
        Just(Breakage::Malformed),
        Just(Breakage::Closed),
        Just(Breakage::Silence),
        statuses().prop_map(|(code, reason)| Breakage::Error(code, reason)),
    ];
    prop_oneof![
        statuses().prop_map(|(code, reason)| RequestFault::Status(code, reason)),
        Just(RequestFault::Refused),
        Just(RequestFault::Hangs),
        (0..6_u8, breakage).prop_map(|(after, breakage)| RequestFault::Breaks(after, breakage)),
    ]
}

fn steps() -> impl Strategy<Value = Vec<ServerStep>> {
    let step = prop_oneof![
        4 => any::<u8>().prop_map(ServerStep::Toggle),
        4 => any::<u8>().prop_map(ServerStep::Write),
        1 => Just(ServerStep::Compact),
        1 => Just(ServerStep::Restore),
        4 => faults().prop_map(ServerStep::Fault),
        4 => (0..200_u16).prop_map(ServerStep::Wait),
    ];
    vec(step, 1..60)
}

/// Waits until the reflector has met every fault and has the current state of the server. (A restored server that has
/// assigned the same versions again before the next request looks like one that was never restored.)
async fn wait_until_equal(server: &Mutex<ModelServer>) {
    while !server.lock().unwrap().faults.is_empty() {
        sleep(Duration::from_secs(60)).await;
    }
    // A silent stream is reopened within 200 s, and a restore is detected within 64 minutes.
    sleep(Duration::from_secs(70 * 60)).await;
}

async fn run_steps(steps: &[ServerStep], config: ReflectorConfig) -> (Vec<String>, Vec<String>) {
    let server = Arc::new(Mutex::new(ModelServer::default()));
    let mut harness = ReflectorHarness::new(config);
    let lists = Arc::clone(&server);
    harness.source.will_list_always(move |options| lists.lock().unwrap().list(options));
    let watches = Arc::clone(&server);
    harness.source.will_watch_always(move |options| watches.lock().unwrap().watch(options));
    harness.start();
    for step in steps {
        match step {
            ServerStep::Toggle(number) => server.lock().unwrap().change(*number, true),
            ServerStep::Write(number) => server.lock().unwrap().change(*number, false),
            ServerStep::Compact => server.lock().unwrap().compact(),
            ServerStep::Restore => {
                server.lock().unwrap().restore();
                wait_until_equal(&server).await;
            }
            ServerStep::Fault(fault) => server.lock().unwrap().faults.push_back(fault.clone()),
            ServerStep::Wait(tenths) => sleep(Duration::from_millis(100 * u64::from(*tenths))).await,
        }
    }
    wait_until_equal(&server).await;
    harness.stopped().await;
    let names = server.lock().unwrap().names();
    (harness.sink.objects(), names)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    // holds: R11, R17, R21, R36, R37, R45, R53, R57, R58, X5, X7, X16, X20, X22, X26
    #[test]
    fn after_any_faults_the_sink_equals_the_server(steps in steps(), streaming: bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let config = match streaming {
            true => ReflectorConfig::default(),
            false => chunked(),
        };
        let (sink, server) = runtime.unwrap().block_on(run_steps(&steps, config));
        prop_assert_eq!(sink, server);
    }
}
