//! The program as its users run it: the built binary, a server on a port, what it prints and how it ends.

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
