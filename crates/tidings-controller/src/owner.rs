//! Owner references: who answers for an object.
