//! The continue token of a paginated list.
//!
//! As in Kubernetes, the token is neither secret nor signed. A forged token can't name a key outside its own list.

use base64::Engine;
use base64::engine::general_purpose::{URL_SAFE, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use crate::status::ApiError;

/// The position at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The version to continue at. `None` continues at the newest version, which is inconsistent with the earlier
    /// pages.
    pub version: Option<u64>,
    /// The first key of the next page, relative to the namespace of the list.
    pub start: String,
}

#[derive(Serialize, Deserialize)]
struct TokenJson {
    v: String,
    rv: i64,
    start: String,
}

/// The version of the token format.
const FORMAT: &str = "meta.k8s.io/v1";

/// The largest length of a token, in bytes: a version, a namespace and a name, encoded.
const TOKEN_BYTES_MAX: usize = 2048;

impl ContinueToken {
    /// The token that continues after `key`, for a list of one namespace or of all.
    pub(crate) fn after(key: &str, namespace: Option<&str>, version: Option<u64>) -> Self {
        let relative = namespace.and_then(|ns| key.strip_prefix(ns)?.strip_prefix('/')).unwrap_or(key);
        Self { version, start: format!("{relative}\0") }
    }

    /// The token as URL-safe base64.
    pub(crate) fn encode(&self) -> String {
        let rv = self.version.map_or(-1, |version| i64::try_from(version).unwrap_or(i64::MAX));
        // In an inconsistent token the key has no leading slash, as in Kubernetes.
        let slash = if self.version.is_some() { "/" } else { "" };
        let wire = TokenJson { v: FORMAT.to_owned(), rv, start: format!("{slash}{}", self.start) };
        let json = serde_json::to_vec(&wire).expect("a token has only strings and numbers");
        URL_SAFE_NO_PAD.encode(json)
    }

    /// Decodes a token; a 400 if it is malformed.
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

    /// The first key of the next page, for a list of one namespace or of all.
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
    fn a_token_has_the_format_of_a_real_server() {
        let token = ContinueToken::after("t/c2", Some("t"), Some(211)).encode();
        let json = URL_SAFE_NO_PAD.decode(&token).unwrap();
        assert_eq!(json, br#"{"v":"meta.k8s.io/v1","rv":211,"start":"/c2\u0000"}"#);
    }

    #[test]
    fn a_malformed_token_is_a_bad_request() {
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
