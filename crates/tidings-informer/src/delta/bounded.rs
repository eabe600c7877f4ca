//! What both ends of a queue share: its contents, who waits for room and who waits for something to take.
//!
//! Its lock is never held across an await, nor while anybody is woken. It knows nothing of deltas, so that its
//! waits and wakes can be tried in every interleaving on their own.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::task::{Context, Poll, Waker};

use crate::sync::Mutex;

/// A bounded queue of anything that can tell its length: many push, one takes.
pub(super) struct BoundedQueue<C> {
    bound: usize,
    state: Mutex<QueueState<C>>,
}

/// What is queued.
pub(super) trait QueueContents {
    /// What is taken at a time.
    type Batch;

    fn len(&self) -> usize;

    /// Takes a batch, unless nothing is queued.
    fn take(&mut self) -> Option<Self::Batch>;
}

struct QueueState<C> {
    /// `None` once nobody takes anything out any more.
    contents: Option<C>,
    /// What is queued still goes out, nothing comes in.
    is_closed: bool,
    /// Who waits for room, first come first served: a busy stream, which pushes one thing at a time, can't keep
    /// another out.
    line: VecDeque<(Ticket, Waker)>,
    tickets: u64,
    /// Who waits for something to take.
    taker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Ticket(u64);

/// A push that may have to wait. Dropped while it waits, it leaves the line.
struct Push<'a, C: QueueContents> {
    bounded: &'a BoundedQueue<C>,
    ticket: Option<Ticket>,
}

impl<C: QueueContents> BoundedQueue<C> {
    pub(super) fn new(contents: C, bound: usize) -> Self {
        let state = QueueState {
            contents: Some(contents),
            is_closed: false,
            line: VecDeque::new(),
            tickets: 0,
            taker: None,
        };
        BoundedQueue { bound, state: Mutex::new(state) }
    }

    /// Waits while the bound is reached, then pushes. Once nothing comes in any more, returns at once and pushes
    /// nothing.
    pub(super) async fn enter(&self, push: impl FnOnce(&mut C) + Send) {
        let mut waiting = Push { bounded: self, ticket: None };
        let mut push = Some(push);
        poll_fn(move |cx| waiting.poll(cx, &mut push)).await;
    }

    /// Takes what has come, or leaves a waker; `None` once nothing will come any more.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<C::Batch>> {
        let mut state = self.state.lock();
        let Some(batch) = state.contents.as_mut().and_then(C::take) else {
            if state.is_closed {
                return Poll::Ready(None);
            }
            state.taker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let next = state.next_in_line(self.bound);
        drop(state);
        next.inspect(Waker::wake_by_ref);
        Poll::Ready(Some(batch))
    }

    /// Lets nothing more in; what is queued still goes out.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let woken = state.everybody();
        drop(state);
        woken.for_each(Waker::wake);
    }

    /// Lets nothing more in and frees what is queued: nobody will take it.
    pub(super) fn abandon(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let contents = state.contents.take();
        let woken = state.everybody();
        drop(state);
        drop(contents);
        woken.for_each(Waker::wake);
    }

    /// Puts something in, whatever the bound is, unless the bounded is closed. Only for the one who takes: it can't wait for room,
    /// and needs no wake-up to look again.
    pub(super) fn put<R>(&self, put: impl FnOnce(&mut C) -> R) -> Option<R> {
        let mut state = self.state.lock();
        if state.is_closed {
            return None;
        }
        state.contents.as_mut().map(put)
    }

    /// Looks at what is queued, unless nobody takes anything any more.
    pub(super) fn look<R>(&self, look: impl FnOnce(&C) -> R) -> Option<R> {
        self.state.lock().contents.as_ref().map(look)
    }

    pub(super) fn bound(&self) -> usize {
        self.bound
    }
}

impl<C: QueueContents> QueueState<C> {
    fn has_room(&self, bound: usize) -> bool {
        self.contents.as_ref().is_some_and(|contents| contents.len() < bound)
    }

    /// Who may enter now. Whoever enters wakes the next, so one waker is enough.
    fn next_in_line(&self, bound: usize) -> Option<Waker> {
        let (_, first) = self.line.front()?;
        self.has_room(bound).then(|| first.clone())
    }

    fn everybody(&mut self) -> impl Iterator<Item = Waker> + use<C> {
        let line = mem::take(&mut self.line);
        line.into_iter().map(|(_, waker)| waker).chain(self.taker.take())
    }

    fn stand_in_line(&mut self, ticket: &mut Option<Ticket>, waker: &Waker) {
        let own = *ticket.get_or_insert_with(|| {
            self.tickets += 1;
            Ticket(self.tickets)
        });
        match self.line.iter_mut().find(|(other, _)| *other == own) {
            Some((_, before)) => before.clone_from(waker),
            None => self.line.push_back((own, waker.clone())),
        }
    }
}

impl<C: QueueContents> Push<'_, C> {
    fn poll(&mut self, cx: &mut Context<'_>, push: &mut Option<impl FnOnce(&mut C)>) -> Poll<()> {
        let bound = self.bounded.bound;
        let mut state = self.bounded.state.lock();
        if state.is_closed {
            return Poll::Ready(());
        }
        let is_first = state.line.front().is_none_or(|(first, _)| Some(*first) == self.ticket);
        if !is_first || !state.has_room(bound) {
            state.stand_in_line(&mut self.ticket, cx.waker());
            return Poll::Pending;
        }
        if self.ticket.take().is_some() {
            state.line.pop_front();
        }
        let push = push.take().expect("a push that entered is not polled again");
        push(state.contents.as_mut().expect("a queue with room has contents"));
        let taker = state.taker.take();
        let next = state.next_in_line(bound);
        drop(state);
        taker.into_iter().chain(next).for_each(Waker::wake);
        Poll::Ready(())
    }
}

impl<C: QueueContents> Drop for Push<'_, C> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let mut state = self.bounded.state.lock();
        state.line.retain(|(other, _)| *other != ticket);
        // It may have been woken and not have come: its turn is the next one's.
        let next = state.next_in_line(self.bounded.bound);
        drop(state);
        next.inspect(Waker::wake_by_ref);
    }
}

impl<C: QueueContents> fmt::Debug for BoundedQueue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedQueue")
            .field("bound", &self.bound)
            .field("len", &self.look(C::len))
            .finish_non_exhaustive()
    }
}
