//! Sharing the keys of one kind among many replicas.

mod lease;
mod member;
mod peers;
mod record;
mod sharding;
mod shares;
#[cfg(test)]
mod simulation;
mod standing;
mod task;
mod view;
mod writes;

pub use sharding::{Sharding, ShardingError};
pub use shares::{Permit, ShardCheckError, ShardStatus, Shares};
pub use task::ShardTask;
