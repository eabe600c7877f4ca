//! What a reconciler has at hand: client, listers, recorder.
