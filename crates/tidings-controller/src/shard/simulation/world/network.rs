//! The server and the network of the simulation: requests arrive late or never, responses get lost, caches receive
//! changes in order but late.

use std::sync::Arc;

use rand::Rng;

use super::{Flaw, MILLISECOND, SECOND, SimulationEvent, World};
use crate::shard::member::LeaseWriteResult;
use crate::shard::peers::{LeaseVersion, ObservedLease};
use crate::shard::record::MemberRecord;

pub(super) enum SimulatedRequest {
    Write(MemberRecord),
    Delete(Arc<str>, Option<LeaseVersion>),
}

/// The kind of request that a member waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PendingRequest {
    Write,
    DeleteExpired,
    DeleteOwn,
}

impl World {
    pub(super) fn send(&mut self, at: usize, pending: PendingRequest, sent: SimulatedRequest) {
        let node = &mut self.nodes[at];
        node.request += 1;
        node.pending = Some(pending);
        let request = node.request;
        if let SimulatedRequest::Write(record) = &sent {
            let version = LeaseVersion { uid: Arc::clone(&node.lease_name), version: "unseen".into() };
            let seen = ObservedLease { name: Arc::clone(&node.lease_name), version, record: record.clone() };
            node.last_written = Some((Arc::clone(&node.lease_name), seen));
        }
        let timeout = (self.timing.renew_deadline.as_micros() as f64 / 2.0 / node.rate) as u64;
        if node.is_connected {
            self.requests.insert((at, request), sent);
            let delay = self.delay();
            self.after(delay, SimulationEvent::Arrive(at, request));
        }
        self.after(timeout, SimulationEvent::Answered(at, request, false));
    }

    /// The server handles the request. A write never replaces a later one of the same member, because each write names
    /// the version that it replaces.
    pub(super) fn arrive(&mut self, at: usize, request: u64) {
        let Some(sent) = self.requests.remove(&(at, request)) else { return };
        let name = match &sent {
            SimulatedRequest::Write(_) => Arc::clone(&self.nodes[at].lease_name),
            SimulatedRequest::Delete(name, _) => Arc::clone(name),
        };
        let stored = self.server.get(&name);
        let (is_done, after) = match sent {
            SimulatedRequest::Write(record) => {
                let is_newer = stored.is_none_or(|stored| stored.record.sequence < record.sequence);
                let version: Arc<str> = (self.log.len() + 1).to_string().into();
                let uid =
                    stored.map_or_else(|| Arc::clone(&version), |stored| Arc::clone(&stored.version.uid));
                let version = LeaseVersion { uid, version };
                (is_newer, Some(ObservedLease { name: Arc::clone(&name), version, record }))
            }
            SimulatedRequest::Delete(_, version) => {
                (stored.is_some_and(|stored| version.is_none_or(|version| version == stored.version)), None)
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
            Some(PendingRequest::DeleteExpired) => node.member.expired_deleted(),
            Some(PendingRequest::DeleteOwn) => node.member.own_deleted(),
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

    /// The delay of a message.
    fn delay(&mut self) -> u64 {
        match self.rng.random_range(0..20) {
            0 if !self.has_no_faults => self.rng.random_range(0..9 * SECOND),
            _ => self.rng.random_range(MILLISECOND..100 * MILLISECOND),
        }
    }
}
