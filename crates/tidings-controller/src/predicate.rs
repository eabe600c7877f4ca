//! Which changes are worth a request.
