//! What a reconciler asks for when it has ended well.
