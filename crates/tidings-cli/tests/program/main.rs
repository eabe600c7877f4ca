//! End-to-end tests of the built binary against a server on a port: its output and exit codes.

mod bad_input;
mod certificates;
mod dashboard;
mod get;
mod http_client;
mod manual;
mod process;
mod secrecy;
mod serve;
mod top;
mod watch;
