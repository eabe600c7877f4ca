//! What an operator asks a running program: `/metrics`, `/healthz`, `/readyz`, `/informers`.
