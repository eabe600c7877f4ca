//! The keys that are ours, where several replicas share them. A key that is not ours is dropped, and asked for again when the
//! shares change.

use std::collections::VecDeque;

use tidings_informer::informer::SharedInformer;

use crate::request::Request;
use crate::shard::{Permit, Shard};
use crate::sync::Mutex;

/// How many refused requests for objects that are gone are remembered. What is there is found in the cache again; what went between
/// two owners is found nowhere else, and that time is short.
const REFUSED_MAX: usize = 4096;

/// The keys that are ours.
pub(crate) struct ShardFilter {
    shard: Shard,
    /// Refused, and not in the cache.
    refused: Mutex<VecDeque<Request>>,
}

impl ShardFilter {
    pub(crate) fn new(shard: Shard) -> Self {
        ShardFilter { shard, refused: Mutex::default() }
    }

    pub(crate) fn shard(&self) -> &Shard {
        &self.shard
    }

    /// The right to work on a request, if it is ours.
    pub(crate) fn permit(&self, request: &Request, own: &SharedInformer<()>) -> Option<Permit> {
        let permit = self.shard.permit(request);
        if permit.is_none() && own.reader().get(request).is_none() {
            let mut refused = self.refused.lock();
            if refused.len() == REFUSED_MAX {
                refused.pop_front();
            }
            refused.push_back(request.clone());
        }
        permit
    }

    /// Everything that may be ours by now.
    pub(crate) fn candidates(&self, own: &SharedInformer<()>) -> Vec<Request> {
        let gone = std::mem::take(&mut *self.refused.lock());
        own.reader().keys().into_iter().map(Request::from).chain(gone).collect()
    }
}
