//! Where a list goes on: the token between two pages.
//!
//! The token is not secret and not signed, as in Kubernetes; a forged one can name no key outside its own list.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::status::ApiError;

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The version to go on at; `None` goes on at the newest, inconsistently.
    pub version: Option<u64>,
    /// The first key of the next page, relative to the list's namespace.
    pub start: String,
}

#[derive(Serialize, Deserialize)]
struct TokenJson {
    v: String,
    rv: i64,
    start: String,
}

/// The format this is.
const FORMAT: &str = "meta.k8s.io/v1";

/// Most bytes a token may have: a version, a namespace, a name, and their encoding.
const TOKEN_BYTES_MAX: usize = 2048;

impl ContinueToken {
    /// The token after `key`, of a list of one namespace or of all.
    pub(crate) fn after(key: &str, namespace: Option<&str>, version: Option<u64>) -> Self {
        let relative = namespace.and_then(|ns| key.strip_prefix(ns)?.strip_prefix('/')).unwrap_or(key);
        Self { version, start: format!("{relative}\0") }
    }

    /// As text for a URL.
    pub(crate) fn encode(&self) -> String {
        let rv = self.version.map_or(-1, |version| i64::try_from(version).unwrap_or(i64::MAX));
        // A token that goes on inconsistently has its key without a slash.
        let slash = if self.version.is_some() { "/" } else { "" };
        let wire = TokenJson { v: FORMAT.to_owned(), rv, start: format!("{slash}{}", self.start) };
        let json = serde_json::to_vec(&wire).expect("a token has only text and numbers");
        URL_SAFE_NO_PAD.encode(json)
    }

    /// Reads a token, or tells why it is none.
    pub(crate) fn decode(text: &str) -> Result<Self, ApiError> {
        let invalid = |why: &str| ApiError::bad_request(format!("continue key is not valid: {why}"));
        if text.len() > TOKEN_BYTES_MAX {
            return Err(invalid("too long"));
        }
        let json = URL_SAFE_NO_PAD
            .decode(text)
            .or_else(|_| URL_SAFE.decode(text))
            .map_err(|_| invalid("not base64"))?;
        let wire: TokenJson =
            serde_json::from_slice(&json).map_err(|_| invalid("not JSON of the known shape"))?;
        if wire.v != FORMAT {
            return Err(invalid(&format!("server does not recognize this encoded version {:?}", wire.v)));
        }
        let version = match wire.rv {
            -1 => None,
            rv => match u64::try_from(rv) {
                Ok(version) if version > 0 => Some(version),
                _ => return Err(invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")),
            },
        };
        let start = wire.start.strip_prefix('/').unwrap_or(&wire.start);
        if start.is_empty() || start.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(invalid("incorrect start key"));
        }
        Ok(Self { version, start: start.to_owned() })
    }

    /// The first key of the next page, for a list of that namespace or of all.
    pub(crate) fn start_key(&self, namespace: Option<&str>) -> String {
        match namespace {
            Some(namespace) => format!("{namespace}/{}", self.start),
            None => self.start.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_token_has_the_shape_a_real_server_gives() {
        let token = ContinueToken::after("t/c2", Some("t"), Some(211)).encode();
        let json = URL_SAFE_NO_PAD.decode(&token).unwrap();
        assert_eq!(json, br#"{"v":"meta.k8s.io/v1","rv":211,"start":"/c2\u0000"}"#);
    }

    #[test]
    fn a_token_that_is_none_is_a_bad_request() {
        let encode = |json: &str| URL_SAFE_NO_PAD.encode(json);
        for text in [
            "%%%".to_owned(),
            encode("{}"),
            encode(r#"{"v":"meta.k8s.io/v2","rv":1,"start":"/a"}"#),
            encode(r#"{"v":"meta.k8s.io/v1","rv":0,"start":"/a"}"#),
            encode(r#"{"v":"meta.k8s.io/v1","rv":-2,"start":"/a"}"#),
            encode(r#"{"v":"meta.k8s.io/v1","rv":1,"start":"/../a"}"#),
            encode(r#"{"v":"meta.k8s.io/v1","rv":1,"start":""}"#),
            "A".repeat(5000),
        ] {
            assert_eq!(ContinueToken::decode(&text).unwrap_err().code, 400, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_token_reads_back_as_it_was_written(name in "[a-z0-9.-]{1,40}", version in prop::option::of(1u64..1 << 62)) {
            prop_assume!(name != "." && name != "..");
            let token = ContinueToken::after(&format!("ns/{name}"), Some("ns"), version);
            prop_assert_eq!(ContinueToken::decode(&token.encode()).unwrap(), token);
        }
    }
}
