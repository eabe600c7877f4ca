//! The tests of derived collections.

mod fixture;
mod model;
mod rules;

use tidings_test_types as _;
