//! From a notification to a key on the queue.
