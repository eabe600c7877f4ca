//! Keys to workers: a queue that never hands the same key to two workers.
