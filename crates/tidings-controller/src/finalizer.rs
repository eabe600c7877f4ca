//! Holding an object back from deletion until its traces are gone.
