//! The server and the network of the simulated world: requests that arrive late or never, answers that are lost, and
//! caches that hear of changes in order but at any time. What members do with it is not known here.

use std::sync::Arc;

use rand::Rng;

use super::{Flaw, MILLISECOND, SECOND, SimulationEvent, World};
use crate::shard::member::LeaseWriteResult;
use crate::shard::peers::{LeaseVersion, ObservedLease};
use crate::shard::record::MemberRecord;

/// What a request asks of the server.
pub(super) enum SimulatedRequest {
    Write(MemberRecord),
    Delete(Arc<str>, Option<LeaseVersion>),
}

/// What a member waits for an answer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingRequest {
    Write,
    DeleteExpired,
    DeleteOwn,
}

impl World {
    pub(super) fn ask(&mut self, at: usize, pending: PendingRequest, asked: SimulatedRequest) {
        let node = &mut self.nodes[at];
        node.request += 1;
        node.pending = Some(pending);
        let request = node.request;
        if let SimulatedRequest::Write(record) = &asked {
            let version = LeaseVersion { uid: Arc::clone(&node.lease_name), version: "unseen".into() };
            let seen = ObservedLease { name: Arc::clone(&node.lease_name), version, record: record.clone() };
            node.last_written = Some((Arc::clone(&node.lease_name), seen));
        }
        let timeout = (self.timing.renew_deadline.as_micros() as f64 / 2.0 / node.rate) as u64;
        if node.is_connected {
            self.asked.insert((at, request), asked);
            let delay = self.delay();
            self.after(delay, SimulationEvent::Arrive(at, request));
        }
        self.after(timeout, SimulationEvent::Answered(at, request, false));
    }

    /// The server does what is asked. A write never undoes a later one of the same member, for each names the
    /// version that it replaces.
    pub(super) fn arrive(&mut self, at: usize, request: u64) {
        let Some(asked) = self.asked.remove(&(at, request)) else { return };
        let name = match &asked {
            SimulatedRequest::Write(_) => Arc::clone(&self.nodes[at].lease_name),
            SimulatedRequest::Delete(name, _) => Arc::clone(name),
        };
        let there = self.server.get(&name);
        let (is_done, after) = match asked {
            SimulatedRequest::Write(record) => {
                let is_newer = there.is_none_or(|there| there.record.sequence < record.sequence);
                let version: Arc<str> = (self.log.len() + 1).to_string().into();
                let uid = there.map_or_else(|| Arc::clone(&version), |there| Arc::clone(&there.version.uid));
                let version = LeaseVersion { uid, version };
                (is_newer, Some(ObservedLease { name: Arc::clone(&name), version, record }))
            }
            SimulatedRequest::Delete(_, version) => {
                (there.is_some_and(|there| version.is_none_or(|version| version == there.version)), None)
            }
        };
        if is_done {
            match &after {
                Some(seen) => self.server.insert(Arc::clone(&name), seen.clone()),
                None => self.server.remove(&name),
            };
            self.log.push((name, after));
            for watcher in 0..self.nodes.len() {
                if !self.nodes[watcher].is_up {
                    continue;
                }
                let delay = self.delay();
                self.after(delay, SimulationEvent::Deliver(watcher, self.log.len()));
            }
        }
        if self.nodes[at].is_connected {
            let delay = self.delay();
            self.after(delay, SimulationEvent::Answered(at, request, is_done));
        }
    }

    pub(super) fn answered(&mut self, at: usize, request: u64, is_done: bool) {
        let now = self.local(at);
        let node = &mut self.nodes[at];
        if !node.is_up || node.request != request {
            return;
        }
        match node.pending.take() {
            None => return,
            Some(PendingRequest::Write) => node
                .member
                .written(now, if is_done { LeaseWriteResult::Done } else { LeaseWriteResult::Failed }),
            Some(PendingRequest::DeleteExpired) => node.member.cleared(),
            Some(PendingRequest::DeleteOwn) => node.member.removed(),
        }
        self.step(at);
    }

    pub(super) fn deliver(&mut self, at: usize, position: usize) {
        let now = self.local(at);
        let node = &mut self.nodes[at];
        let is_old = position <= node.position && position > 0;
        if !node.is_up || !node.is_watching || is_old {
            return;
        }
        for (name, seen) in &self.log[node.position..position] {
            match seen {
                Some(seen) => node.cache.insert(Arc::clone(name), seen.clone()),
                None => node.cache.remove(name),
            };
        }
        node.position = position;
        let mut cache = node.cache.clone();
        match self.flaw {
            Flaw::OwnWritesAreSeenAtOnce => cache.extend(node.last_written.clone()),
            Flaw::OthersAreNotSeen => cache.retain(|name, _| *name == node.lease_name),
            _ => {}
        }
        node.member.observe(now, cache.into_values().collect());
        self.step(at);
    }

    /// How long a message takes.
    fn delay(&mut self) -> u64 {
        match self.rng.random_range(0..20) {
            0 if !self.is_calm => self.rng.random_range(0..9 * SECOND),
            _ => self.rng.random_range(MILLISECOND..100 * MILLISECOND),
        }
    }
}
