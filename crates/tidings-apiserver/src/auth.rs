//! Who asks, and what they may do: bearer tokens with three kinds of rights.
//!
//! This keeps tests honest about 401 and 403; it protects nothing, and is not meant to.

use std::fmt;

use crate::resource::{ResourceDef, Verb};
use crate::status::ApiError;

/// What a user may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Everything.
    Admin,
    /// Get, list and watch.
    ReadOnly,
    /// Nothing with resources; discovery is open to everyone who is known.
    Nothing,
}

/// The known users.
#[derive(Clone, Debug)]
pub(crate) struct Users {
    known: Vec<User>,
    anonymous: Option<Rights>,
}

/// One user.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct User {
    /// As error messages name it.
    pub name: String,
    token: String,
    /// What it may do.
    pub rights: Rights,
}

/// The token of a user that may do everything.
pub const ADMIN_TOKEN: &str = "admin-token";
/// The token of a user that may only read.
pub const READ_ONLY_TOKEN: &str = "reader-token";
/// The token of a user without rights.
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

    /// Names and tokens.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = (&str, &str)> {
        self.known.iter().map(|user| (user.name.as_str(), user.token.as_str()))
    }

    /// Whose request this is, by its `Authorization` header.
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
    /// The caller in the process, who may do everything.
    pub(crate) fn trusted() -> Self {
        Self { name: "system:admin".to_owned(), token: String::new(), rights: Rights::Admin }
    }

    /// A 403 if this user may not do this.
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
        let place = match namespace {
            Some(namespace) => format!("in the namespace \"{namespace}\""),
            None => "at the cluster scope".to_owned(),
        };
        let why = format!(
            "User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {place}",
            self.name,
            verb.as_str(),
            def.plural,
            def.group
        );
        Err(ApiError::forbidden(def, name, &why))
    }
}

/// Tokens are not for logs, though these protect nothing.
impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("rights", &self.rights).finish_non_exhaustive()
    }
}
