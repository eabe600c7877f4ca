//! The faults that a client meets at its proxy: what happens to its open stream, to its next requests, and whether it is
//! let in at all. Both doors are given the same, at the same time.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::watch;

/// What a proxy has in store.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultPlan {
    stream: Option<StreamFault>,
    replies: VecDeque<Reply>,
    is_refusing: bool,
    /// Stream faults happen now, however many bytes they were to wait for.
    is_settling: bool,
}

/// What happens to a stream, after so many more bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamFault {
    pub(crate) after_bytes: usize,
    pub(crate) end: StreamEnd,
}

/// How a stream is ended. What needs a whole frame waits for one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StreamEnd {
    /// The connection breaks, in the middle of a frame if it so happens.
    Cut,
    /// Nothing more is sent for this long, then the connection breaks.
    HangThenCut(Duration),
    /// As by the server's timeout.
    Close,
    /// So too, right after the end of the initial events.
    CloseAtMarker,
    /// With an ERROR event of this code.
    Error(u16),
}

impl StreamFault {
    const NOW: StreamFault = StreamFault { after_bytes: 0, end: StreamEnd::Close };
}

/// What a request is answered with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// With what the server says.
    Pass,
    /// With what the server says, but later.
    Delay(Duration),
    /// Not at all: the connection breaks after this long.
    Drop(Duration),
    /// With an error.
    Status { code: u16, retry_after_seconds: Option<u32> },
    /// With 504, because the version is not yet known.
    TooLarge,
    /// With so many bytes of the server's answer, if it is a list.
    CutList(usize),
}

/// A proxy's faults, which changes as faults happen.
pub(crate) struct FaultState(watch::Sender<FaultPlan>);

impl FaultState {
    pub(crate) fn clear() -> FaultState {
        FaultState(watch::Sender::default())
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<FaultPlan> {
        self.0.subscribe()
    }

    pub(crate) fn arm_stream(&self, fault: StreamFault) {
        self.0.send_modify(|faults| faults.stream = Some(fault));
    }

    pub(crate) fn arm_replies(&self, replies: &[Reply]) {
        self.0.send_modify(|faults| faults.replies.extend(replies));
    }

    pub(crate) fn refuse(&self) {
        self.0.send_modify(|faults| faults.is_refusing = true);
    }

    pub(crate) fn accept(&self) {
        self.0.send_modify(|faults| faults.is_refusing = false);
    }

    /// Lets what is armed happen now, and waits until it has.
    pub(crate) async fn settled(&self) {
        self.0.send_modify(|faults| faults.is_settling = true);
        let is_spent = |faults: &FaultPlan| faults.stream.is_none() && faults.replies.is_empty();
        let _ = self.subscribe().wait_for(is_spent).await;
        self.0.send_modify(|faults| faults.is_settling = false);
    }

    /// What the next request is answered with.
    pub(crate) fn next_reply(&self) -> Reply {
        let mut reply = Reply::Pass;
        self.0.send_modify(|faults| reply = faults.replies.pop_front().unwrap_or(Reply::Pass));
        reply
    }

    /// The fault of the stream has happened.
    pub(crate) fn spend_stream(&self) {
        self.0.send_modify(|faults| faults.stream = None);
    }
}

impl FaultPlan {
    pub(crate) fn is_refusing(&self) -> bool {
        self.is_refusing
    }

    /// What is to happen to the stream, after so many bytes counted from when it was armed.
    pub(crate) fn stream_fault(&self) -> Option<StreamFault> {
        if !self.is_settling {
            return self.stream;
        }
        match self.stream {
            Some(StreamFault { end: StreamEnd::CloseAtMarker, .. }) => Some(StreamFault::NOW),
            Some(fault) => Some(StreamFault { after_bytes: 0, ..fault }),
            // An open stream would keep the client from asking for what it is to be answered.
            None => (!self.replies.is_empty()).then_some(StreamFault::NOW),
        }
    }
}
