//! One seed, from its first write to the comparison.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kubernetes_tests::agreement::Versions;
use kubernetes_tests::{Cluster, Collection, User};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::client_go::ClientGo;
use crate::differences::Difference;
use crate::notifications::{Listener, Notification, out_of_order, replayed};
use crate::ours::Ours;
use crate::proxy::FaultProxy;
use crate::rules::{Client, Refusing, Watched, broken_rules};
use crate::script::{Script, Step};
use crate::workload::{SELECTOR, Workload};

/// How long it may take until all faults have happened, and then until both clients equal the server: several times the
/// longest backoff of both.
const SETTLED_MAX: Duration = Duration::from_secs(60);
const AGREED_MAX: Duration = Duration::from_secs(90);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The result of a seed.
pub(crate) struct Report {
    pub(crate) found: Vec<String>,
    pub(crate) differences: Vec<Difference>,
    /// A description of all that happened, for failures.
    pub(crate) account: String,
}

/// A seed in progress.
struct Stage<'a> {
    cluster: &'a Cluster,
    workload: Workload,
    collection: Collection,
    watched: Watched,
    theirs: Arc<FaultProxy>,
    ours: Arc<FaultProxy>,
    refusing: Vec<Refusing>,
    /// The clients whose faults have not all happened.
    unmet: Vec<String>,
}

/// The cache and the notifications of one client at the end.
struct ClientResult {
    cache: Versions,
    notifications: Vec<Notification>,
}

/// Runs a seed on this server, with this program for client-go.
pub(crate) async fn run(script: &Script, cluster: &Cluster, program: &Path) -> Report {
    let client = cluster.client_of(User::AdminByToken).await;
    let namespace = format!("seed-{}", script.seed);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let began_at = Instant::now();
    let mut stage = Stage {
        cluster,
        workload: Workload::begin(&client, &namespace).await,
        collection: Collection::new(&client, format!("{path}?labelSelector=watched%3Dyes")),
        watched: Watched { path, selector: SELECTOR.to_owned(), lists: script.lists },
        theirs: FaultProxy::new(client.clone(), began_at),
        ours: FaultProxy::new(client.clone(), began_at),
        refusing: Vec::new(),
        unmet: Vec::new(),
    };
    let mut doors = JoinSet::new();
    doors.spawn(Arc::clone(&stage.theirs).stand_open());
    doors.spawn(Arc::clone(&stage.ours).stand_open());

    stage.workload.gather(cluster, script.crowd).await;
    for write in &script.before {
        stage.workload.write(*write).await;
    }
    let start = script.steps.iter().position(|step| matches!(step, Step::Start));
    let (first, rest) = script.steps.split_at(start.expect("every script starts the clients"));
    stage.play(first).await;
    let theirs = ClientGo::start(script, program, &stage.theirs.url(), &namespace, SELECTOR);
    let ours = Ours::start(script, &stage.ours.url(), &namespace, SELECTOR);
    stage.play(rest).await;
    stage.compare(script, theirs, ours).await
}

impl Stage<'_> {
    async fn play(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Write(write) => self.workload.write(*write).await,
                Step::Stream(fault) => self.each(|proxy| proxy.state_of_faults.arm_stream(*fault)),
                Step::Replies(replies) => self.each(|proxy| proxy.state_of_faults.arm_replies(replies)),
                Step::Start => {}
                Step::Refuse => {
                    self.refusing.push((self.ours.log.now(), Duration::MAX));
                    self.each(|proxy| proxy.state_of_faults.refuse());
                }
                Step::Accept => {
                    self.each(|proxy| proxy.state_of_faults.accept());
                    let now = self.ours.log.now();
                    self.refusing.last_mut().expect("it was refused before").1 = now;
                }
                Step::Settle => self.settled().await,
                Step::Compact => self.cluster.compact().await.expect("etcd can be compacted"),
            }
        }
    }

    /// Waits until all armed faults of both clients have happened.
    async fn settled(&mut self) {
        let settled = |proxy: &Arc<FaultProxy>| {
            let proxy = Arc::clone(proxy);
            async move { timeout(SETTLED_MAX, proxy.state_of_faults.settled()).await.is_ok() }
        };
        let (theirs, ours) = tokio::join!(settled(&self.theirs), settled(&self.ours));
        for (client, is_settled) in [(Client::ClientGo, theirs), (Client::Ours, ours)] {
            if !is_settled {
                self.unmet.push(format!("{} did not meet all faults within {SETTLED_MAX:?}", client.name()));
            }
        }
    }

    fn each(&self, act: impl Fn(&FaultProxy)) {
        act(&self.theirs);
        act(&self.ours);
    }

    async fn compare(mut self, script: &Script, mut theirs: ClientGo, ours: Ours) -> Report {
        self.settled().await;
        let mut found = self.unmet.clone();
        let listed = self.agreed(&mut theirs, &ours).await;
        let (cache, notifications) = theirs.ended().await;
        let theirs = ClientResult { cache, notifications };
        let (cache, notifications) = ours.ended().await;
        let ours = ClientResult { cache, notifications };

        let mut differences = Vec::new();
        for (result, proxy, client) in
            [(&theirs, &self.theirs, Client::ClientGo), (&ours, &self.ours, Client::Ours)]
        {
            let whose = client.name();
            found.extend(different(
                &format!("the cache of {whose}"),
                &result.cache,
                &Listener::All.matching(&listed),
            ));
            for listener in Listener::EACH {
                let notification = replayed(listener, &result.notifications);
                let what = format!("what the handler {listener:?} of {whose} was notification");
                found.extend(different(&what, &notification, &listener.matching(&listed)));
            }
            let exchanges = proxy.log.exchanges();
            let other =
                exchanges.iter().filter(|exchange| exchange.wire.is_some_and(|wire| wire != script.wire));
            found.extend(other.map(|exchange| format!("{whose} was answered by another wire: {exchange}")));
            let (broken, made_use_of) = broken_rules(client, &self.watched, &proxy.log, &self.refusing);
            found.extend(broken.into_iter().map(|broken| format!("{whose}: {broken}")));
            differences.extend(made_use_of);
        }
        for listener in Listener::EACH {
            let order = out_of_order(listener, &ours.notifications);
            found.extend(order.into_iter().map(|what| format!("ours: {what}")));
        }
        Report { found, differences, account: self.account(script, &theirs, &ours) }
    }

    /// Waits until both clients equal the server. Returns what the server lists, also if they differ.
    async fn agreed(&self, theirs: &mut ClientGo, ours: &Ours) -> BTreeMap<String, Value> {
        let deadline = Instant::now() + AGREED_MAX;
        let listed = self.collection.objects().await.expect("the server lists");
        let truth = Listener::All.matching(&listed);
        loop {
            let is_cached = theirs.cache().await == truth && ours.cache() == truth;
            let our_notifications = ours.notifications();
            let is_told = Listener::EACH.into_iter().all(|listener| {
                let truth = listener.matching(&listed);
                [theirs.notifications(), &our_notifications]
                    .iter()
                    .all(|notification| replayed(listener, notification) == truth)
            });
            // A handler that is behind can be right by accident, so the backlog must be empty too.
            let is_heard_out = theirs.is_heard_out() && ours.is_heard_out();
            if is_cached && is_told && is_heard_out || Instant::now() > deadline {
                return listed;
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    fn account(&self, script: &Script, theirs: &ClientResult, ours: &ClientResult) -> String {
        let mut account = format!("{script:#?}\nnobody was let in: {:?}\n", self.refusing);
        for (result, proxy, client) in
            [(theirs, &self.theirs, Client::ClientGo), (ours, &self.ours, Client::Ours)]
        {
            let _ = writeln!(account, "\n{} asked:", client.name());
            for (number, exchange) in proxy.log.exchanges().iter().enumerate() {
                let _ = writeln!(account, "{number:4} {exchange}");
            }
            let _ = writeln!(account, "{} received:", client.name());
            for notification in
                result.notifications.iter().filter(|notification| !notification.key.contains("/crowd"))
            {
                let _ = writeln!(account, "     {notification}");
            }
        }
        account
    }
}

/// The first objects in which a state differs from the server's list.
fn different(what: &str, state: &Versions, truth: &Versions) -> Option<String> {
    let keys = truth.keys().chain(state.keys().filter(|key| !truth.contains_key(*key)));
    let mut wrong = keys.filter(|key| truth.get(*key) != state.get(*key)).peekable();
    wrong.peek()?;
    let wrong: Vec<_> = wrong.take(5).map(|key| (key, state.get(key), "listed", truth.get(key))).collect();
    Some(format!("{what} is not what the server lists: {wrong:?}"))
}
