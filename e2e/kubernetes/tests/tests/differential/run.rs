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
use crate::notifications::{HandlerKind, Notification, out_of_order, replayed};
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
    pub(crate) description: String,
}

/// A seed in progress.
struct SeedRun<'a> {
    cluster: &'a Cluster,
    workload: Workload,
    collection: Collection,
    watched: Watched,
    theirs: Arc<FaultProxy>,
    ours: Arc<FaultProxy>,
    refusing: Vec<Refusing>,
    /// The clients whose faults have not all happened.
    pending_faults: Vec<String>,
}

/// The cache and the notifications of one client at the end.
struct ClientResult {
    cache: Versions,
    notifications: Vec<Notification>,
    /// The faults and the health that the client reports, if it does.
    condition: String,
}

/// Runs a seed on this server, with this program for client-go.
pub(crate) async fn run(script: &Script, cluster: &Cluster, program: &Path) -> Report {
    let client = cluster.client_of(User::AdminByToken).await;
    let namespace = format!("seed-{}", script.seed);
    let path = format!("/api/v1/namespaces/{namespace}/configmaps");
    let began_at = Instant::now();
    let mut run = SeedRun {
        cluster,
        workload: Workload::begin(&client, &namespace).await,
        collection: Collection::new(&client, format!("{path}?labelSelector=watched%3Dyes")),
        watched: Watched { path, selector: SELECTOR.to_owned(), lists: script.lists },
        theirs: FaultProxy::new(client.clone(), began_at),
        ours: FaultProxy::new(client.clone(), began_at),
        refusing: Vec::new(),
        pending_faults: Vec::new(),
    };
    let mut proxies = JoinSet::new();
    proxies.spawn(Arc::clone(&run.theirs).accept_clients());
    proxies.spawn(Arc::clone(&run.ours).accept_clients());

    run.workload.create_many(cluster, script.crowd).await;
    for write in &script.before {
        run.workload.write(*write).await;
    }
    let start = script.steps.iter().position(|step| matches!(step, Step::Start));
    let (first, rest) = script.steps.split_at(start.expect("every script starts the clients"));
    run.play(first).await;
    let theirs = ClientGo::start(script, program, &run.theirs.url(), &namespace, SELECTOR);
    let ours = Ours::start(script, &run.ours.url(), &namespace, SELECTOR);
    run.play(rest).await;
    run.compare(script, theirs, ours).await
}

impl SeedRun<'_> {
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
                self.pending_faults
                    .push(format!("{} did not meet all faults within {SETTLED_MAX:?}", client.name()));
            }
        }
    }

    fn each(&self, act: impl Fn(&FaultProxy)) {
        act(&self.theirs);
        act(&self.ours);
    }

    async fn compare(mut self, script: &Script, mut theirs: ClientGo, ours: Ours) -> Report {
        self.settled().await;
        let mut found = self.pending_faults.clone();
        let listed = self.agreed(&mut theirs, &ours).await;
        let (cache, notifications) = theirs.ended().await;
        let theirs = ClientResult { cache, notifications, condition: String::new() };
        let condition = ours.condition();
        let (cache, notifications) = ours.ended().await;
        let ours = ClientResult { cache, notifications, condition };

        let mut differences = Vec::new();
        for (result, proxy, client) in
            [(&theirs, &self.theirs, Client::ClientGo), (&ours, &self.ours, Client::Ours)]
        {
            let whose = client.name();
            found.extend(different(
                &format!("the cache of {whose}"),
                &result.cache,
                &HandlerKind::All.matching(&listed),
            ));
            for kind in HandlerKind::EACH {
                let notification = replayed(kind, &result.notifications);
                let what = format!("what the handler {kind:?} of {whose} received");
                found.extend(different(&what, &notification, &kind.matching(&listed)));
            }
            let exchanges = proxy.log.exchanges();
            let other =
                exchanges.iter().filter(|exchange| exchange.wire.is_some_and(|wire| wire != script.wire));
            found.extend(other.map(|exchange| format!("{whose} was answered by another wire: {exchange}")));
            let (broken, made_use_of) = broken_rules(client, &self.watched, &proxy.log, &self.refusing);
            found.extend(broken.into_iter().map(|broken| format!("{whose}: {broken}")));
            differences.extend(made_use_of);
        }
        for kind in HandlerKind::EACH {
            let order = out_of_order(kind, &ours.notifications);
            found.extend(order.into_iter().map(|what| format!("ours: {what}")));
        }
        Report { found, differences, description: self.description(script, &theirs, &ours) }
    }

    /// Waits until both clients equal the server. Returns what the server lists, also if they differ.
    async fn agreed(&self, theirs: &mut ClientGo, ours: &Ours) -> BTreeMap<String, Value> {
        let deadline = Instant::now() + AGREED_MAX;
        let listed = self.collection.objects().await.expect("the server lists");
        let truth = HandlerKind::All.matching(&listed);
        loop {
            let is_cached = theirs.cache().await == truth && ours.cache() == truth;
            let our_notifications = ours.notifications();
            let is_notified = HandlerKind::EACH.into_iter().all(|kind| {
                let truth = kind.matching(&listed);
                [theirs.notifications(), &our_notifications]
                    .iter()
                    .all(|notification| replayed(kind, notification) == truth)
            });
            // A handler that is behind can be right by accident, so the backlog must be empty too.
            let has_delivered_all = theirs.has_delivered_all() && ours.has_delivered_all();
            if is_cached && is_notified && has_delivered_all || Instant::now() > deadline {
                return listed;
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    fn description(&self, script: &Script, theirs: &ClientResult, ours: &ClientResult) -> String {
        let mut description = format!("{script:#?}\nconnections were refused: {:?}\n", self.refusing);
        for (result, proxy, client) in
            [(theirs, &self.theirs, Client::ClientGo), (ours, &self.ours, Client::Ours)]
        {
            let _ = writeln!(description, "\nrequests of {}:", client.name());
            for (number, exchange) in proxy.log.exchanges().iter().enumerate() {
                let _ = writeln!(description, "{number:4} {exchange}");
            }
            let _ = writeln!(description, "notifications of {}:", client.name());
            for notification in
                result.notifications.iter().filter(|notification| !notification.key.contains("/crowd"))
            {
                let _ = writeln!(description, "     {notification}");
            }
            description.push_str(&result.condition);
        }
        description
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
