//! Ways to the server: configurations and clients of each of its users.

use kube_client::config::{KubeConfigOptions, Kubeconfig};
use kube_client::{Client, Config};
use tidings_source::client_from_config;

use super::Cluster;

/// Who asks, and how the server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum User {
    /// May do everything; by client certificate.
    Admin,
    /// May do everything; by token.
    AdminByToken,
    /// May do nothing until RBAC says so; its name is `user`; by client certificate.
    Limited,
    /// The same; by token.
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
    /// How this user reaches the server.
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
