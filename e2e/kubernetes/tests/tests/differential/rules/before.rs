//! What came before a request: it decides whether the reflector asked, or what is below it asked again.

use crate::wire::{Answer, Exchange};

/// What came before a request.
pub(super) enum Before<'a> {
    Nothing,
    /// This one.
    Exchange(&'a Exchange),
    /// This one, and then perhaps connections that were refused or broken, which no log shows.
    Refused(&'a Exchange),
}

impl Before<'_> {
    /// Whether a REST client below the reflector would have asked this again by itself.
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
