//! Several controllers in one program: starts them in order and ends them in order.
