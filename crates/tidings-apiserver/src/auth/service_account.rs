//! Tokens of service accounts: the `token` subresource issues them, TokenReview and the server's own authentication
//! accept them.
//!
//! A token is a JSON Web Token with the claims of Kubernetes. It is signed with HMAC-SHA256 and not with RSA, because
//! only this server verifies it. Nothing is stored for a token: it is valid while its signature is right, it has not
//! expired, and its service account (and the object it is bound to) still exists with the same uid.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use serde_json::{Value, json};

use super::{Rights, User};
use crate::server::Core;
use crate::status::{ApiError, StatusCause};

/// The issuer, and the audience of a token that requests none.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";

/// The shortest lifetime of a token, as in Kubernetes.
const LIFETIME_SECONDS_MIN: i64 = 600;
/// The lifetime of a token that requests none.
const LIFETIME_SECONDS_DEFAULT: i64 = 3600;
/// The longest lifetime, as in Kubernetes.
const LIFETIME_SECONDS_MAX: i64 = 1 << 32;

/// The key that signs the tokens of one server.
pub(crate) struct SigningKey(hmac::Key);

/// A valid token: its user, and the audiences it is for.
pub(crate) struct VerifiedToken {
    pub user: User,
    pub audiences: Vec<String>,
}

impl SigningKey {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, &secret))
    }

    fn signed(&self, claims: &Value) -> String {
        let header = json!({"alg": "HS256", "typ": "JWT"}).to_string();
        let content =
            format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = hmac::sign(&self.0, content.as_bytes());
        format!("{content}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// The claims of a token with a valid signature.
    fn claims(&self, token: &str) -> Option<Value> {
        let (content, signature) = token.rsplit_once('.')?;
        let (_, claims) = content.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        hmac::verify(&self.0, content.as_bytes(), &signature).ok()?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
    }
}

/// Does not print the key.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey")
    }
}

impl Core {
    /// The user of an `Authorization` header; a 401 if there is none.
    pub(crate) fn authenticate(&self, header: Option<&str>) -> Result<User, ApiError> {
        let Some(header) = header else { return self.users.anonymous() };
        let token = header.strip_prefix("Bearer ").map(str::trim).ok_or_else(ApiError::unauthorized)?;
        if let Some(user) = self.users.of_token(token) {
            return Ok(user.clone());
        }
        let verified = self.verify_token(token).map_err(|_| ApiError::unauthorized())?;
        if verified.audiences.iter().any(|audience| audience == ISSUER) {
            Ok(verified.user)
        } else {
            Err(ApiError::unauthorized())
        }
    }

    /// Issues a token for a service account, from the `spec` of a TokenRequest. Returns the token and the time at which
    /// it expires, in seconds since 1970.
    pub(crate) fn issue_token(&self, account: &Value, spec: &Value) -> Result<(String, i64), ApiError> {
        let text = |name: &str| account["metadata"][name].as_str().unwrap_or_default();
        let (namespace, name) = (text("namespace"), text("name"));
        let lifetime = match spec["expirationSeconds"].as_i64() {
            None => LIFETIME_SECONDS_DEFAULT,
            Some(seconds) => checked_lifetime(seconds)?,
        };
        let audiences = match spec["audiences"].as_array() {
            Some(audiences) if !audiences.is_empty() => Value::Array(audiences.clone()),
            _ => json!([ISSUER]),
        };
        let now = self.clock.now().as_second();
        let expires = now.saturating_add(lifetime);
        let mut bound = json!({
            "namespace": namespace, "serviceaccount": {"name": name, "uid": text("uid")},
        });
        if spec["boundObjectRef"].is_object() {
            let (kind, reference) = self.bound_object(namespace, &spec["boundObjectRef"])?;
            bound[kind] = reference;
        }
        let claims = json!({
            "aud": audiences, "exp": expires, "iat": now, "nbf": now, "iss": ISSUER, "jti": self.new_uid(),
            "kubernetes.io": bound, "sub": format!("system:serviceaccount:{namespace}:{name}"),
        });
        Ok((self.signing_key.signed(&claims), expires))
    }

    /// The kind (in lower case), name and uid of the object that a token is bound to.
    fn bound_object(&self, namespace: &str, reference: &Value) -> Result<(&'static str, Value), ApiError> {
        let (kind, plural) = match reference["kind"].as_str().unwrap_or_default() {
            "Pod" => ("pod", "pods"),
            "Secret" => ("secret", "secrets"),
            "Node" => ("node", "nodes"),
            other => {
                let why = format!("cannot bind token for serviceaccount to object of type {other:?}");
                return Err(ApiError::bad_request(why));
            }
        };
        let name = reference["name"].as_str().unwrap_or_default();
        let uid = self.uid_of(plural, namespace, name);
        let def = self.registry.named(plural).expect("the kind is built in");
        let uid = uid.ok_or_else(|| ApiError::not_found(&def, name))?;
        let wanted = reference["uid"].as_str().unwrap_or_default();
        if !wanted.is_empty() && wanted != uid {
            let why =
                format!("the UID in the bound object reference ({wanted}) does not match the UID in record");
            return Err(ApiError::conflict(&def, name, &why));
        }
        Ok((kind, json!({"name": name, "uid": uid})))
    }

    fn uid_of(&self, plural: &str, namespace: &str, name: &str) -> Option<String> {
        let key = if plural == "nodes" { name.to_owned() } else { format!("{namespace}/{name}") };
        let stored = self.store.object(&format!("/{plural}"), &key)?;
        Some(stored.decoded_metadata().get("uid")?.as_str()?.to_owned())
    }

    /// Verifies the token of a service account. The error says why it is not valid.
    pub(crate) fn verify_token(&self, token: &str) -> Result<VerifiedToken, &'static str> {
        let claims = self.signing_key.claims(token).ok_or("invalid bearer token")?;
        if claims["exp"].as_i64().is_none_or(|expires| expires <= self.clock.now().as_second()) {
            return Err("service account token has expired");
        }
        let bound = &claims["kubernetes.io"];
        let namespace = bound["namespace"].as_str().unwrap_or_default();
        for (kind, plural) in
            [("serviceaccount", "serviceaccounts"), ("pod", "pods"), ("secret", "secrets"), ("node", "nodes")]
        {
            let Some(name) = bound[kind]["name"].as_str() else { continue };
            if self.uid_of(plural, namespace, name).as_deref() != bound[kind]["uid"].as_str() {
                return Err("service account token has been invalidated");
            }
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let within = format!("system:serviceaccounts:{namespace}");
        let groups = ["system:serviceaccounts", &within, "system:authenticated"];
        let mut user = User::new(text(&claims["sub"]), Rights::Admin, &groups);
        user.uid = text(&bound["serviceaccount"]["uid"]);
        user.credential = format!("JTI={}", text(&claims["jti"]));
        let audiences = claims["aud"].as_array().into_iter().flatten().map(text).collect();
        Ok(VerifiedToken { user, audiences })
    }
}

fn checked_lifetime(seconds: i64) -> Result<i64, ApiError> {
    let why = match seconds {
        ..LIFETIME_SECONDS_MIN => "may not specify a duration less than 10 minutes",
        LIFETIME_SECONDS_MIN..=LIFETIME_SECONDS_MAX => return Ok(seconds),
        _ => "may not specify a duration larger than 2^32 seconds",
    };
    let cause = StatusCause::invalid("spec.expirationSeconds", format!("Invalid value: {seconds}: {why}"));
    Err(ApiError::invalid("authentication.k8s.io", "TokenRequest", "", vec![cause]))
}
