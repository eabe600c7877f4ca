//! The queue between reflector and cache: pushes deltas and takes batches.

use std::sync::Arc;

use futures_util::FutureExt;
use tidings_informer::delta::{QueueOrder, StreamId, queue};
use tidings_informer::reflector::Sink;
use tidings_object::{NothingKnown, RawObject};
use tidings_source::{ChangeType, StreamScope};

use super::{intake, measured, objects};

/// How many deltas are pushed before a batch is taken.
const PUSHED_AT_ONCE: usize = 500;

pub(crate) fn in_order(times: u64) {
    push_and_take(QueueOrder::InOrder, times);
}

pub(crate) fn per_object(times: u64) {
    push_and_take(QueueOrder::PerObject, times);
}

fn push_and_take(order: QueueOrder, times: u64) {
    let objects = objects(&intake(), PUSHED_AT_ONCE as u64);
    let (sender, mut receiver) = queue(order, PUSHED_AT_ONCE * 2, Arc::new(NothingKnown));
    let mut stream = sender.stream(StreamId(0), StreamScope::All);
    let changes: Vec<Arc<RawObject>> = objects.iter().cycle().take(times as usize).cloned().collect();
    measured(|| {
        for some in changes.chunks(PUSHED_AT_ONCE) {
            for object in some {
                let pushed = stream.change(ChangeType::Added, Arc::clone(object)).now_or_never();
                pushed.expect("there is room for what is pushed at once");
            }
            let mut taken = 0;
            while taken < some.len() {
                taken += receiver
                    .next_batch()
                    .now_or_never()
                    .flatten()
                    .expect("what was pushed can be taken")
                    .len();
            }
        }
    });
}
