//! The flags that select a cluster and a user, as kubectl has them, and the client that they configure.

pub(crate) mod resource;

use std::path::PathBuf;
use std::time::Duration;

use http::Uri;
use kube_client::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube_client::{Client, Config};
use tidings::client_from_config;

use crate::failure::{CliResult, Failure, FailureCode};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Selects the cluster. Commands flatten this struct last, because clap applies a help heading to all arguments that
/// follow it.
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterOptions {
    /// The kubeconfig file. Default: $KUBECONFIG or ~/.kube/config.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig.
    #[arg(long)]
    context: Option<String>,
    /// The URL of the server, instead of the one in the kubeconfig. A plain http:// URL works without a kubeconfig.
    #[arg(short, long, value_name = "URL")]
    server: Option<String>,
    /// Does not verify the certificate of the server. Use it for experiments only.
    #[arg(long)]
    insecure_skip_tls_verify: bool,
}

impl ClusterOptions {
    /// A client for the cluster. Its default namespace is the one of the context.
    pub(crate) async fn client(&self) -> CliResult<Client> {
        let mut config = self.config().await?;
        config.connect_timeout = Some(CONNECT_TIMEOUT);
        config.accept_invalid_certs |= self.insecure_skip_tls_verify;
        client_from_config(config).map_err(|error| Failure::new(FailureCode::NoServer, error))
    }

    async fn config(&self) -> CliResult<Config> {
        let server = self.server.as_deref().map(|text| address("--server", text, "https")).transpose()?;
        let from_file = match &self.kubeconfig {
            Some(file) => {
                let read = Kubeconfig::read_from(file);
                let read = read.map_err(|error| no_config(&format!("{}: ", file.display()), &error))?;
                Config::from_custom_kubeconfig(read, &self.options()).await
            }
            None => Config::from_kubeconfig(&self.options()).await,
        };
        match (from_file, server) {
            (Ok(config), None) => Ok(config),
            (Ok(mut config), Some(server)) => {
                config.cluster_url = server;
                Ok(config)
            }
            (Err(_), Some(server)) if self.kubeconfig.is_none() && self.context.is_none() => {
                Ok(Config::new(server))
            }
            (Err(error), _) if self.kubeconfig.is_some() || self.context.is_some() => {
                Err(no_config("", &error))
            }
            // Inside a pod there is no kubeconfig, but a service account.
            (Err(error), _) => Config::incluster().map_err(|_| no_config("", &error)),
        }
    }

    fn options(&self) -> KubeConfigOptions {
        KubeConfigOptions { context: self.context.clone(), ..KubeConfigOptions::default() }
    }
}

/// Parses the URL of a flag. Without a scheme the default scheme is used.
pub(crate) fn address(flag: &str, text: &str, usual_scheme: &str) -> CliResult<Uri> {
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("{usual_scheme}://{text}") };
    let wrong = || Failure::usage(format!("{flag} {text:?} is not a URL: try http://127.0.0.1:8001"));
    let uri: Uri = with_scheme.parse().map_err(|_| wrong())?;
    let speaks_http = matches!(uri.scheme_str(), Some("http" | "https"));
    if speaks_http && uri.host().is_some_and(|host| !host.is_empty()) { Ok(uri) } else { Err(wrong()) }
}

/// The message leaves out what the YAML parser says, because it quotes lines of the file, which may contain tokens.
fn no_config(file: &str, error: &KubeconfigError) -> Failure {
    let reason = match error {
        KubeconfigError::Parse(_) => "the kubeconfig is not valid YAML".to_owned(),
        KubeconfigError::ReadConfig(error, path) => format!("{}: {error}", path.display()),
        error => error.to_string(),
    };
    let message = format!(
        "no cluster is configured: {file}{reason}; use --kubeconfig FILE, set KUBECONFIG, or use --server URL"
    );
    Failure::new(FailureCode::NoServer, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_a_host_and_speaks_http() {
        let address = |text| address("--server", text, "https");
        assert_eq!(address("127.0.0.1:8001").unwrap().to_string(), "https://127.0.0.1:8001/");
        assert_eq!(address("http://[::1]:80").unwrap().scheme_str(), Some("http"));
        for wrong in ["", "http://", "ftp://host", "a b"] {
            assert!(address(wrong).is_err(), "{wrong:?}");
        }
    }
}
