//! Authentication and authorization: bearer tokens with three levels of rights.
//!
//! A token is one of the static ones of [`Users`], or one that a TokenRequest issued for a service account (see
//! [`service_account`]). With this, tests can produce a 401 and a 403. It protects nothing: the default tokens are
//! publicly known, and roles of RBAC are stored but not evaluated.

use std::fmt;

use serde_json::{Value, json};

use crate::resource::{ResourceDef, Verb};
use crate::status::ApiError;

pub(crate) mod service_account;

/// What a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rights {
    /// Everything.
    Admin,
    /// Get, list and watch.
    ReadOnly,
    /// No verb on any resource. Discovery is open to all authenticated users.
    Nothing,
}

/// All users, and the rights of requests without a token.
#[derive(Clone, Debug)]
pub(crate) struct Users {
    known: Vec<User>,
    anonymous: Option<Rights>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct User {
    pub name: String,
    /// The uid of a service account; empty for other users.
    pub uid: String,
    pub groups: Vec<String>,
    /// The id of the token of a service account; empty for other users.
    pub credential: String,
    token: String,
    pub rights: Rights,
}

/// The token of the user `admin`, who may do everything.
pub const ADMIN_TOKEN: &str = "admin-token";
/// The token of the user `reader`, who may get, list and watch.
pub const READ_ONLY_TOKEN: &str = "reader-token";
/// The token of the user `user`, who has no rights on resources.
pub const NO_RIGHTS_TOKEN: &str = "user-token";

impl Default for Users {
    fn default() -> Self {
        let mut users = Self { known: Vec::new(), anonymous: None };
        users.add("admin", ADMIN_TOKEN, Rights::Admin);
        users.add("reader", READ_ONLY_TOKEN, Rights::ReadOnly);
        users.add("user", NO_RIGHTS_TOKEN, Rights::Nothing);
        users
    }
}

impl Users {
    pub(crate) fn add(&mut self, name: impl Into<String>, token: impl Into<String>, rights: Rights) {
        let token = token.into();
        self.known.retain(|user| user.token != token);
        let mut user = User::new(name.into(), rights, &["system:authenticated"]);
        if rights == Rights::Admin {
            user.groups.insert(0, "system:masters".to_owned());
        }
        user.token = token;
        self.known.push(user);
    }

    pub(crate) fn allow_anonymous(&mut self, rights: Rights) {
        self.anonymous = Some(rights);
    }

    pub(crate) fn tokens(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().map(|user| (user.name.as_str(), user.token.as_str()))
    }

    /// The user with this static token.
    pub(crate) fn of_token(&self, token: &str) -> Option<&User> {
        self.known.iter().find(|user| user.token == token)
    }

    /// The rights of a user by name. Users that the server does not know, such as service accounts, may do everything.
    pub(crate) fn rights_of(&self, name: &str) -> Rights {
        let known = self.known.iter().find(|user| user.name == name);
        known.map_or(Rights::Admin, |user| user.rights)
    }

    /// The user of requests without a token; a 401 if such requests are not allowed.
    pub(crate) fn anonymous(&self) -> Result<User, ApiError> {
        let rights = self.anonymous.ok_or_else(ApiError::unauthorized)?;
        Ok(User::new("system:anonymous".to_owned(), rights, &["system:unauthenticated"]))
    }
}

impl User {
    /// The user of in-process requests without a token, who may do everything.
    pub(crate) fn trusted() -> Self {
        let groups = ["system:masters", "system:authenticated"];
        Self::new("system:admin".to_owned(), Rights::Admin, &groups)
    }

    fn new(name: String, rights: Rights, groups: &[&str]) -> Self {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        Self { name, uid: String::new(), groups, credential: String::new(), token: String::new(), rights }
    }

    /// The user as reviews show it: a `UserInfo`.
    pub(crate) fn info(&self) -> Value {
        let mut info = json!({"username": self.name, "groups": self.groups});
        if !self.uid.is_empty() {
            info["uid"] = json!(self.uid);
        }
        if !self.credential.is_empty() {
            info["extra"] = json!({"authentication.kubernetes.io/credential-id": [self.credential]});
        }
        info
    }

    /// A 403 if the user is no administrator.
    pub(crate) fn check_admin(&self) -> Result<(), ApiError> {
        match self.rights {
            Rights::Admin => Ok(()),
            _ => Err(ApiError::new(
                403,
                "Forbidden",
                format!("forbidden: User {:?} is no administrator", self.name),
            )),
        }
    }

    /// A 403 if the user lacks the right.
    pub(crate) fn check(
        &self,
        def: &ResourceDef,
        verb: Verb,
        namespace: Option<&str>,
        name: &str,
    ) -> Result<(), ApiError> {
        let is_allowed = match self.rights {
            Rights::Admin => true,
            Rights::ReadOnly => matches!(verb, Verb::Get | Verb::List | Verb::Watch),
            Rights::Nothing => false,
        };
        if is_allowed {
            return Ok(());
        }
        let scope = match namespace {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "at the cluster scope".to_owned(),
        };
        let why = format!(
            "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {scope}",
            self.name,
            verb.as_str(),
            def.plural,
            def.group
        );
        Err(ApiError::forbidden(def, name, &why))
    }
}

/// Does not print the token.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("rights", &self.rights).finish_non_exhaustive()
    }
}
