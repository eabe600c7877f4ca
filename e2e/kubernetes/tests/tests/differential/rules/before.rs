//! What preceded a request. It decides whether the reflector sent it, or a REST client below retried.

use crate::wire::{Answer, Exchange};

pub(super) enum Before<'a> {
    Nothing,
    /// This request.
    Exchange(&'a Exchange),
    /// This request, and possibly refused or broken connections, which are not in the log.
    Refused(&'a Exchange),
}

impl Before<'_> {
    /// Whether a REST client below the reflector would retry this by itself.
    pub(super) fn is_retried_by(&self, exchange: &Exchange) -> bool {
        let Before::Exchange(before) = self else { return false };
        let is_retried = match before.answer {
            Answer::Nothing => true,
            Answer::Refused { has_retry_after, .. } => has_retry_after,
            _ => false,
        };
        is_retried && before.options == exchange.options
    }
}
