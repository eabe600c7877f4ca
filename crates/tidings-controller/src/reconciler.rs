//! What a user writes: the function that makes the world as it should be for one key.
