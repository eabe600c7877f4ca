//! Authentication and authorization: bearer tokens with three levels of rights.
//!
//! With this, tests can produce a 401 and a 403. It protects nothing: the default tokens are publicly known.

use std::fmt;

use crate::resource::{ResourceDef, Verb};
use crate::status::ApiError;

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
        self.known.push(User { name: name.into(), token, rights });
    }

    pub(crate) fn allow_anonymous(&mut self, rights: Rights) {
        self.anonymous = Some(rights);
    }

    pub(crate) fn tokens(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().map(|user| (user.name.as_str(), user.token.as_str()))
    }

    /// The user of an `Authorization` header; a 401 if there is none.
    pub(crate) fn of_header(&self, header: Option<&str>) -> Result<User, ApiError> {
        match header {
            Some(header) => {
                let token = header.strip_prefix("Bearer ").map(str::trim);
                let known = token.and_then(|token| self.known.iter().find(|user| user.token == token));
                known.cloned().ok_or_else(ApiError::unauthorized)
            }
            None => {
                let rights = self.anonymous.ok_or_else(ApiError::unauthorized)?;
                Ok(User { name: "system:anonymous".to_owned(), token: String::new(), rights })
            }
        }
    }
}

impl User {
    /// The user of in-process requests without a token, who may do everything.
    pub(crate) fn trusted() -> Self {
        Self { name: "system:admin".to_owned(), token: String::new(), rights: Rights::Admin }
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
