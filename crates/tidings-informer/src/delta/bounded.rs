//! A bounded queue with backpressure: many tasks push and wait for room, one task takes batches and waits for items.
//!
//! Waiting pushes enter in the order in which they began to wait (first in, first out), so that a busy stream can't
//! starve another. The lock is never held across an await, nor while a waker is called. The queue is generic over its
//! contents, so that tests can try its waits and wake-ups under many interleavings without deltas.
//!
//! Example with a bound of 1:
//!
//! ```text
//! A pushes a      enters: [a]
//! B pushes b      the bound is reached: B waits with ticket 1
//! C pushes c      C waits with ticket 2
//! take            returns [a], wakes B only
//! A pushes d      B is first and has not run yet: A waits with ticket 3, although there is room
//! B runs          enters: [b]; there is no room for C, so C is not woken
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::mem;
use std::task::{Context, Poll, Waker};

use crate::sync::Mutex;

/// A bounded queue with many producers and one consumer.
pub(super) struct BoundedQueue<C> {
    bound: usize,
    state: Mutex<QueueState<C>>,
}

/// The contents of a queue.
pub(super) trait QueueContents {
    /// What the consumer takes at a time.
    type Batch;

    fn len(&self) -> usize;

    /// Takes a batch, if anything is queued.
    fn take(&mut self) -> Option<Self::Batch>;
}

struct QueueState<C> {
    /// `None` once the consumer is dropped.
    contents: Option<C>,
    /// No push enters any more. The consumer still gets what is queued.
    is_closed: bool,
    /// The pushes that wait for room, the longest waiting first.
    waiters: VecDeque<(Ticket, Waker)>,
    last_ticket: u64,
    /// The waker of the consumer, while it waits for items.
    consumer: Option<Waker>,
}

/// Identifies a waiting push.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ticket(u64);

/// A push that may have to wait. If it is dropped while it waits, it leaves the line of waiters.
struct PendingPush<'a, C: QueueContents> {
    queue: &'a BoundedQueue<C>,
    ticket: Option<Ticket>,
}

impl<C: QueueContents> BoundedQueue<C> {
    pub(super) fn new(contents: C, bound: usize) -> Self {
        let state = QueueState {
            contents: Some(contents),
            is_closed: false,
            waiters: VecDeque::new(),
            last_ticket: 0,
            consumer: None,
        };
        BoundedQueue { bound, state: Mutex::new(state) }
    }

    /// Waits while the bound is reached, then calls `push`. On a closed queue it returns at once and pushes nothing.
    pub(super) async fn push(&self, push: impl FnOnce(&mut C) + Send) {
        let mut pending = PendingPush { queue: self, ticket: None };
        let mut push = Some(push);
        poll_fn(move |cx| pending.poll(cx, &mut push)).await;
    }

    /// Takes a batch, or registers the consumer's waker. `None` once the queue is closed and empty.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<C::Batch>> {
        let mut state = self.state.lock();
        let Some(batch) = state.contents.as_mut().and_then(C::take) else {
            if state.is_closed {
                return Poll::Ready(None);
            }
            state.consumer = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let next = state.next_waiter(self.bound);
        drop(state);
        next.inspect(Waker::wake_by_ref);
        Poll::Ready(Some(batch))
    }

    /// Closes the queue for pushes. The consumer still gets what is queued.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let wakers = state.take_wakers();
        drop(state);
        wakers.for_each(Waker::wake);
    }

    /// Closes the queue and frees its contents: the consumer is dropped.
    pub(super) fn close_and_clear(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        let contents = state.contents.take();
        let wakers = state.take_wakers();
        drop(state);
        drop(contents);
        wakers.for_each(Waker::wake);
    }

    /// Pushes without waiting, even above the bound, unless the queue is closed. Only for the consumer: it would wait
    /// for itself, and it needs no wake-up because it takes next.
    pub(super) fn push_above_bound<R>(&self, push: impl FnOnce(&mut C) -> R) -> Option<R> {
        let mut state = self.state.lock();
        if state.is_closed {
            return None;
        }
        state.contents.as_mut().map(push)
    }

    /// Reads the contents; `None` once the consumer is dropped.
    pub(super) fn inspect<R>(&self, read: impl FnOnce(&C) -> R) -> Option<R> {
        self.state.lock().contents.as_ref().map(read)
    }
}

impl<C: QueueContents> QueueState<C> {
    fn has_room(&self, bound: usize) -> bool {
        self.contents.as_ref().is_some_and(|contents| contents.len() < bound)
    }

    /// The waker of the first waiter, if there is room. A push that enters wakes the next one, so one waker is enough.
    fn next_waiter(&self, bound: usize) -> Option<Waker> {
        let (_, first) = self.waiters.front()?;
        self.has_room(bound).then(|| first.clone())
    }

    fn take_wakers(&mut self) -> impl Iterator<Item = Waker> + use<C> {
        let waiters = mem::take(&mut self.waiters);
        waiters.into_iter().map(|(_, waker)| waker).chain(self.consumer.take())
    }

    /// Puts a push at the end of the line, or updates its waker if it waits already.
    fn wait(&mut self, ticket: &mut Option<Ticket>, waker: &Waker) {
        let own = *ticket.get_or_insert_with(|| {
            self.last_ticket += 1;
            Ticket(self.last_ticket)
        });
        match self.waiters.iter_mut().find(|(other, _)| *other == own) {
            Some((_, before)) => before.clone_from(waker),
            None => self.waiters.push_back((own, waker.clone())),
        }
    }
}

impl<C: QueueContents> PendingPush<'_, C> {
    fn poll(&mut self, cx: &mut Context<'_>, push: &mut Option<impl FnOnce(&mut C)>) -> Poll<()> {
        let bound = self.queue.bound;
        let mut state = self.queue.state.lock();
        if state.is_closed {
            return Poll::Ready(());
        }
        let is_first = state.waiters.front().is_none_or(|(first, _)| Some(*first) == self.ticket);
        if !is_first || !state.has_room(bound) {
            state.wait(&mut self.ticket, cx.waker());
            return Poll::Pending;
        }
        if self.ticket.take().is_some() {
            state.waiters.pop_front();
        }
        let push = push.take().expect("a push that entered is not polled again");
        push(state.contents.as_mut().expect("a queue with room has contents"));
        let consumer = state.consumer.take();
        let next = state.next_waiter(bound);
        drop(state);
        consumer.into_iter().chain(next).for_each(Waker::wake);
        Poll::Ready(())
    }
}

impl<C: QueueContents> Drop for PendingPush<'_, C> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let mut state = self.queue.state.lock();
        state.waiters.retain(|(other, _)| *other != ticket);
        // It may have been woken without running since. Its wake-up is passed on to the next waiter.
        let next = state.next_waiter(self.queue.bound);
        drop(state);
        next.inspect(Waker::wake_by_ref);
    }
}

impl<C: QueueContents> fmt::Debug for BoundedQueue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundedQueue")
            .field("bound", &self.bound)
            .field("len", &self.inspect(C::len))
            .finish_non_exhaustive()
    }
}
