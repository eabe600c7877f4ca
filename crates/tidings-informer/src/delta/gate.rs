//! What both ends of a queue share: the deltas, who waits for room and who waits for deltas.
//!
//! Its lock is never held across an await, nor while anybody is woken.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tidings_object::{RawObject, Version};
use tidings_source::{Change, StreamScope};

use super::StreamId;
use super::in_order::InOrder;
use super::outlet::{BATCH_DELTAS_MAX, Batch};
use super::replace::Listed;
use crate::reflector::Epoch;
use crate::sync::Mutex;

/// How full a queue is. Cloning it copies a pointer; it may outlive both ends.
#[derive(Debug, Clone)]
pub struct Depth(Arc<Gate>);

/// In which order deltas come out: the one thing in which queues differ.
pub(super) trait Order: Send {
    fn change(&mut self, stream: StreamId, change: Change, object: Arc<RawObject>);
    fn bookmark(&mut self, stream: StreamId, version: Version);
    fn replace(
        &mut self,
        stream: StreamId,
        scope: StreamScope,
        listed: Listed,
        version: Version,
        epoch: Epoch,
    );
    fn end_stream(&mut self, stream: StreamId, scope: StreamScope);
    /// Takes a batch, empty when nothing is queued. What was taken before has been applied.
    fn take(&mut self, deltas_max: usize) -> Batch;
    fn load(&self) -> Load;
}

/// What is queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Load {
    pub(super) deltas: usize,
    /// An estimate.
    pub(super) bytes: usize,
}

/// The queue itself.
pub(super) struct Gate {
    deltas_max: usize,
    state: Mutex<State>,
}

struct State {
    order: Box<dyn Order>,
    passage: Passage,
    /// Who waits for room, first come first served. A stream pushes one thing at a time, so it stands here at
    /// most once, and a busy stream can't keep another out.
    line: VecDeque<(Ticket, Waker)>,
    tickets: u64,
    /// Who waits for deltas.
    taker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passage {
    Open,
    /// Nothing comes in; what is queued still goes out.
    Closed,
    /// Nobody takes anything out any more.
    Abandoned,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Ticket(u64);

/// A push that may have to wait. Dropped while it waits, it leaves the line.
struct Push<'a> {
    gate: &'a Gate,
    ticket: Option<Ticket>,
}

impl Depth {
    pub(super) fn new(gate: Arc<Gate>) -> Depth {
        Depth(gate)
    }

    /// How many deltas are queued.
    pub fn deltas(&self) -> usize {
        self.0.load().deltas
    }

    /// From how many queued deltas on a push waits.
    pub fn deltas_max(&self) -> usize {
        self.0.deltas_max
    }

    /// An estimate of the bytes that the queued objects keep; what is also cached counts all the same.
    pub fn bytes_estimate(&self) -> usize {
        self.0.load().bytes
    }
}

impl Gate {
    pub(super) fn new(order: Box<dyn Order>, deltas_max: usize) -> Gate {
        let state = State { order, passage: Passage::Open, line: VecDeque::new(), tickets: 0, taker: None };
        Gate { deltas_max, state: Mutex::new(state) }
    }

    /// Waits for room, then pushes. Once nothing comes in any more, returns at once and pushes nothing.
    pub(super) async fn enter(&self, push: impl FnOnce(&mut dyn Order) + Send) {
        let mut waiting = Push { gate: self, ticket: None };
        let mut push = Some(push);
        poll_fn(move |cx| waiting.poll(cx, &mut push)).await;
    }

    /// Takes what has come, or leaves a waker; `None` once nothing will come any more.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<Batch>> {
        let mut state = self.state.lock();
        let batch = state.order.take(BATCH_DELTAS_MAX);
        if batch.is_empty() {
            if state.passage != Passage::Open {
                return Poll::Ready(None);
            }
            state.taker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let next = state.next_in_line(self.deltas_max);
        drop(state);
        next.inspect(Waker::wake_by_ref);
        Poll::Ready(Some(batch))
    }

    pub(super) fn close(&self) {
        self.end(Passage::Closed, None);
    }

    /// Frees what is queued: nobody will take it.
    pub(super) fn abandon(&self) {
        self.end(Passage::Abandoned, Some(Box::new(InOrder::default())));
    }

    pub(super) fn load(&self) -> Load {
        self.state.lock().order.load()
    }

    fn end(&self, passage: Passage, emptied: Option<Box<dyn Order>>) {
        let mut state = self.state.lock();
        if state.passage != Passage::Abandoned {
            state.passage = passage;
        }
        let freed = emptied.map(|emptied| mem::replace(&mut state.order, emptied));
        let line = mem::take(&mut state.line);
        let taker = state.taker.take();
        drop(state);
        drop(freed);
        line.into_iter().map(|(_, waker)| waker).chain(taker).for_each(Waker::wake);
    }
}

impl State {
    /// Who may enter now. Whoever enters wakes the next, so one waker is enough.
    fn next_in_line(&self, deltas_max: usize) -> Option<Waker> {
        let has_room = self.order.load().deltas < deltas_max;
        self.line.front().filter(|_| has_room).map(|(_, waker)| waker.clone())
    }

    fn stand_in_line(&mut self, ticket: &mut Option<Ticket>, waker: &Waker) {
        let own = *ticket.get_or_insert_with(|| {
            self.tickets += 1;
            Ticket(self.tickets)
        });
        match self.line.iter_mut().find(|(other, _)| *other == own) {
            Some((_, known)) => known.clone_from(waker),
            None => self.line.push_back((own, waker.clone())),
        }
    }
}

impl Push<'_> {
    fn poll(&mut self, cx: &mut Context<'_>, push: &mut Option<impl FnOnce(&mut dyn Order)>) -> Poll<()> {
        let deltas_max = self.gate.deltas_max;
        let mut state = self.gate.state.lock();
        if state.passage != Passage::Open {
            return Poll::Ready(());
        }
        let is_first = state.line.front().is_none_or(|(first, _)| Some(*first) == self.ticket);
        if !is_first || state.order.load().deltas >= deltas_max {
            state.stand_in_line(&mut self.ticket, cx.waker());
            return Poll::Pending;
        }
        if self.ticket.take().is_some() {
            state.line.pop_front();
        }
        let push = push.take().expect("a push that entered is not polled again");
        push(&mut *state.order);
        let taker = state.taker.take();
        let next = state.next_in_line(deltas_max);
        drop(state);
        taker.into_iter().chain(next).for_each(Waker::wake);
        Poll::Ready(())
    }
}

impl Drop for Push<'_> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let mut state = self.gate.state.lock();
        state.line.retain(|(other, _)| *other != ticket);
        // It may have been woken and not have come: its turn is the next one's.
        let next = state.next_in_line(self.gate.deltas_max);
        drop(state);
        next.inspect(Waker::wake_by_ref);
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = self.load();
        f.debug_struct("Gate").field("deltas_max", &self.deltas_max).field("load", &load).finish()
    }
}
