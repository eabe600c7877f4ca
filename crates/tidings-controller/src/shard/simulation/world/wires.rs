//! The server and the wires of the simulated world: requests that arrive late or never, answers that are lost, and
//! caches that hear of changes in order but at any time. What members do with it is not known here.

use std::sync::Arc;

use rand::Rng;

use super::{Flaw, Happening, MILLISECOND, SECOND, World};
use crate::shard::member::Answer;
use crate::shard::peers::{Seen, Stamp};
use crate::shard::record::Record;

/// What a request asks of the server.
pub(super) enum Asked {
    Write(Record),
    Delete(Arc<str>, Option<Stamp>),
}

/// What a member waits for an answer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Write,
    Clear,
    Remove,
}

impl World {
    pub(super) fn ask(&mut self, at: usize, doing: Doing, asked: Asked) {
        let node = &mut self.nodes[at];
        node.request += 1;
        node.doing = Some(doing);
        let request = node.request;
        if let Asked::Write(record) = &asked {
            let stamp = Stamp { uid: Arc::clone(&node.lease_name), version: "unseen".into() };
            let seen = Seen { name: Arc::clone(&node.lease_name), stamp, record: record.clone() };
            node.last_written = Some((Arc::clone(&node.lease_name), seen));
        }
        let timeout = (self.timing.renew_deadline.as_micros() as f64 / 2.0 / node.rate) as u64;
        if node.is_connected {
            self.asked.insert((at, request), asked);
            let delay = self.delay();
            self.after(delay, Happening::Arrive(at, request));
        }
        self.after(timeout, Happening::Answered(at, request, false));
    }

    /// The server does what is asked. A write never undoes a later one of the same member, for each names the
    /// version that it replaces.
    pub(super) fn arrive(&mut self, at: usize, request: u64) {
        let Some(asked) = self.asked.remove(&(at, request)) else { return };
        let name = match &asked {
            Asked::Write(_) => Arc::clone(&self.nodes[at].lease_name),
            Asked::Delete(name, _) => Arc::clone(name),
        };
        let there = self.server.get(&name);
        let (is_done, after) = match asked {
            Asked::Write(record) => {
                let is_newer = there.is_none_or(|there| there.record.turn < record.turn);
                let version: Arc<str> = (self.log.len() + 1).to_string().into();
                let uid = there.map_or_else(|| Arc::clone(&version), |there| Arc::clone(&there.stamp.uid));
                let stamp = Stamp { uid, version };
                (is_newer, Some(Seen { name: Arc::clone(&name), stamp, record }))
            }
            Asked::Delete(_, stamp) => {
                (there.is_some_and(|there| stamp.is_none_or(|stamp| stamp == there.stamp)), None)
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
                self.after(delay, Happening::Deliver(watcher, self.log.len()));
            }
        }
        if self.nodes[at].is_connected {
            let delay = self.delay();
            self.after(delay, Happening::Answered(at, request, is_done));
        }
    }

    pub(super) fn answered(&mut self, at: usize, request: u64, is_done: bool) {
        let now = self.local(at);
        let node = &mut self.nodes[at];
        if !node.is_up || node.request != request {
            return;
        }
        match node.doing.take() {
            None => return,
            Some(Doing::Write) => {
                node.member.written(now, if is_done { Answer::Done } else { Answer::Failed })
            }
            Some(Doing::Clear) => node.member.cleared(),
            Some(Doing::Remove) => node.member.removed(),
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
        match self.chance.random_range(0..20) {
            0 if !self.is_calm => self.chance.random_range(0..9 * SECOND),
            _ => self.chance.random_range(MILLISECOND..100 * MILLISECOND),
        }
    }
}
