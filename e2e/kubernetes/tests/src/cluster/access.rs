//! Configurations and clients for the users of the server.

use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use tidings_source::client_from_config;

use super::Cluster;

/// A user and its kind of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// An administrator with a client certificate.
    Admin,
    /// An administrator with a token.
    AdminByToken,
    /// A user without permissions until RBAC grants some, named `user`, with a client certificate.
    Limited,
    /// The same user with a token.
    LimitedByToken,
}

impl User {
    fn context(self) -> &'static str {
        match self {
            User::Admin => "admin",
            User::AdminByToken => "admin-token",
            User::Limited => "user",
            User::LimitedByToken => "user-token",
        }
    }
}

impl Cluster {
    /// The client configuration of this user.
    pub async fn config(&self, user: User) -> Config {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig()).expect("the server wrote a kubeconfig");
        let options =
            KubeConfigOptions { context: Some(user.context().to_owned()), ..KubeConfigOptions::default() };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        config.expect("the server's kubeconfig has all contexts")
    }

    /// A client of the administrator.
    pub async fn client(&self) -> Client {
        self.client_of(User::Admin).await
    }

    /// A client of this user.
    pub async fn client_of(&self, user: User) -> Client {
        client_from_config(self.config(user).await).expect("the server's kubeconfig makes a client")
    }
}
