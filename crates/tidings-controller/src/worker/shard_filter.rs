//! Filters requests by the shard of this replica. A request of another shard is dropped. When the shard changes, every
//! object is requested again.

use std::collections::VecDeque;

use tidings_informer::SharedInformer;

use crate::request::Request;
use crate::shard::{Permit, Shard};
use crate::sync::Mutex;

/// How many dropped requests for deleted objects are kept. Requests for existing objects are found again in the cache.
/// An object that is deleted while its key moves between replicas is found nowhere else; that time is short.
const REFUSED_MAX: usize = 4096;

pub(crate) struct ShardFilter {
    shard: Shard,
    /// Dropped requests whose object is not in the cache.
    refused: Mutex<VecDeque<Request>>,
}

impl ShardFilter {
    pub(crate) fn new(shard: Shard) -> Self {
        ShardFilter { shard, refused: Mutex::default() }
    }

    pub(crate) fn shard(&self) -> &Shard {
        &self.shard
    }

    /// The permit for a request, if this replica owns its key.
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

    /// Every request that this replica may own after a change of its shard.
    pub(crate) fn candidates(&self, own: &SharedInformer<()>) -> Vec<Request> {
        let deleted = std::mem::take(&mut *self.refused.lock());
        own.reader().keys().into_iter().map(Request::from).chain(deleted).collect()
    }
}
