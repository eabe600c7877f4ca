//! The faults of a proxy: for its open stream, for its next requests, and whether it accepts connections. Both proxies
//! get the same faults at the same time.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::watch;

/// The armed faults of a proxy.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultPlan {
    stream: Option<StreamFault>,
    replies: VecDeque<Reply>,
    is_refusing: bool,
    /// Stream faults happen now, without waiting for more bytes.
    is_settling: bool,
}

/// The end of a stream after this many further bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamFault {
    pub(crate) after_bytes: usize,
    pub(crate) end: StreamEnd,
}

/// How a stream ends. Some ends wait for the end of a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StreamEnd {
    /// The connection breaks, possibly inside a frame.
    Cut,
    /// Nothing is sent for this time, then the connection breaks.
    HangThenCut(Duration),
    /// The server's timeout ends the watch.
    Close,
    /// The same, right after the end of the initial events.
    CloseAtMarker,
    /// An ERROR event with this code.
    Error(u16),
}

impl StreamFault {
    const NOW: StreamFault = StreamFault { after_bytes: 0, end: StreamEnd::Close };
}

/// The response to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    /// The response of the server.
    Pass,
    /// The response of the server, delayed.
    Delay(Duration),
    /// None: the connection breaks after this time.
    Drop(Duration),
    /// An error.
    Status { code: u16, retry_after_seconds: Option<u32> },
    /// 504, because the version is not known yet.
    TooLarge,
    /// The first bytes of the server's response, if it is a list.
    CutList(usize),
}

/// The faults of a proxy, which change as they happen.
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

    /// Lets the armed faults happen now, and waits for them.
    pub(crate) async fn settled(&self) {
        self.0.send_modify(|faults| faults.is_settling = true);
        let is_spent = |faults: &FaultPlan| faults.stream.is_none() && faults.replies.is_empty();
        let _ = self.subscribe().wait_for(is_spent).await;
        self.0.send_modify(|faults| faults.is_settling = false);
    }

    /// The response to the next request.
    pub(crate) fn next_reply(&self) -> Reply {
        let mut reply = Reply::Pass;
        self.0.send_modify(|faults| reply = faults.replies.pop_front().unwrap_or(Reply::Pass));
        reply
    }

    /// Marks the stream fault as done.
    pub(crate) fn spend_stream(&self) {
        self.0.send_modify(|faults| faults.stream = None);
    }
}

impl FaultPlan {
    pub(crate) fn is_refusing(&self) -> bool {
        self.is_refusing
    }

    /// The fault of the stream, after bytes counted from when it was armed.
    pub(crate) fn stream_fault(&self) -> Option<StreamFault> {
        if !self.is_settling {
            return self.stream;
        }
        match self.stream {
            Some(StreamFault { end: StreamEnd::CloseAtMarker, .. }) => Some(StreamFault::NOW),
            Some(fault) => Some(StreamFault { after_bytes: 0, ..fault }),
            // An open stream would prevent the client from sending the next request.
            None => (!self.replies.is_empty()).then_some(StreamFault::NOW),
        }
    }
}
