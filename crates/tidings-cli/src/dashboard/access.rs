//! Access control of the dashboard, and its security headers.
//!
//! On a loopback address no token is needed. Elsewhere each request must carry the token. A web page of another site can
//! make a browser send requests to a loopback address under its own host name (DNS rebinding), so on loopback only the
//! host names `localhost`, `127.0.0.0/8` and `::1` are answered. The token is never logged.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rand::TryRngCore as _;
use rand::rngs::OsRng;
use subtle::ConstantTimeEq as _;

use crate::failure::CliResult;

const TOKEN_BYTES: usize = 32;

const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'",
        ),
    ),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

pub(super) struct AccessControl {
    token: Option<String>,
    /// Appended to the printed URL: `?token=...` if the token was generated here.
    url_suffix: String,
    is_loopback: bool,
}

enum AccessDecision {
    Allow,
    /// The token is in the URL. It moves into a cookie, so that browser history and screen do not show it.
    SetCookie,
    /// The `Host` header does not name a loopback address.
    WrongHost,
    /// The token is missing or wrong.
    Unauthorized,
}

impl AccessControl {
    /// Uses the token that was given. Generates one if none was given and the address is not a loopback address.
    pub(super) fn new(address: IpAddr, given: Option<String>) -> CliResult<AccessControl> {
        let is_loopback = address.is_loopback();
        let mut url_suffix = String::new();
        let token = match given {
            Some(token) => Some(token),
            None if is_loopback => None,
            None => {
                let token = random_token()?;
                url_suffix = format!("?token={token}");
                Some(token)
            }
        };
        Ok(AccessControl { token, url_suffix, is_loopback })
    }

    /// What follows the address in the printed URL. A token that the user gave is not printed.
    pub(super) fn url_suffix(&self) -> &str {
        &self.url_suffix
    }

    /// The router, with access control in front of it.
    pub(super) fn protect(self, router: Router) -> Router {
        router.layer(from_fn_with_state(Arc::new(self), check_access))
    }

    fn decide(&self, uri: &Uri, headers: &HeaderMap) -> AccessDecision {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        if self.is_loopback && !host.is_some_and(is_loopback_name) {
            return AccessDecision::WrongHost;
        }
        let Some(token) = &self.token else { return AccessDecision::Allow };
        let is_right = |offered: &str| bool::from(offered.as_bytes().ct_eq(token.as_bytes()));
        if bearer(headers).is_some_and(is_right) || cookies(headers, &cookie_name(host)).any(is_right) {
            return AccessDecision::Allow;
        }
        if uri.path() == "/" && token_in(uri).is_some_and(is_right) {
            AccessDecision::SetCookie
        } else {
            AccessDecision::Unauthorized
        }
    }
}

async fn check_access(State(access): State<Arc<AccessControl>>, request: Request, next: Next) -> Response {
    let mut response = match access.decide(request.uri(), request.headers()) {
        AccessDecision::Allow => next.run(request).await,
        AccessDecision::SetCookie => {
            move_token_to_cookie(request.headers(), token_in(request.uri()).unwrap_or_default())
        }
        AccessDecision::WrongHost => {
            let advice = "this dashboard answers only to localhost and 127.0.0.1; use --listen to open it to other machines\n";
            (StatusCode::FORBIDDEN, advice).into_response()
        }
        AccessDecision::Unauthorized => {
            let advice =
                "this dashboard needs its token: open /?token=TOKEN, or send Authorization: Bearer TOKEN\n";
            (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], advice).into_response()
        }
    };
    response.headers_mut().extend(HEADERS);
    response
}

/// Sets the cookie and redirects to the URL without the token.
fn move_token_to_cookie(headers: &HeaderMap, token: &str) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", cookie_name(host));
    (StatusCode::SEE_OTHER, [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)])
        .into_response()
}

/// Cookies are shared by all ports of a host. The port is in the name, so that two dashboards on one host do not overwrite
/// each other's cookie.
fn cookie_name(host: Option<&str>) -> String {
    let port = host.and_then(|host| host.rsplit_once(':')).map(|(_, port)| port);
    let port = port.filter(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    format!("tidings-dashboard-{}", port.unwrap_or("80"))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let name = name.to_owned();
    pairs.filter(move |(other, _)| *other == name).map(|(_, value)| value)
}

/// Needs no percent-decoding: tokens consist of characters that are valid in a URL.
fn token_in(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

/// Whether the host is a loopback address or `localhost`, which no DNS server can redirect.
fn is_loopback_name(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn random_token() -> CliResult<String> {
    let mut bytes = [0; TOKEN_BYTES];
    OsRng.try_fill_bytes(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_localhost_and_loopback_addresses_are_loopback_names() {
        for name in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.9.9.9", "[::1]:80", "[::1]"] {
            assert!(is_loopback_name(name), "{name}");
        }
        for name in [
            "",
            "evil.example",
            "127.0.0.1.evil.example:80",
            "localhost.evil.example",
            "[evil]:1",
            "10.0.0.1",
        ] {
            assert!(!is_loopback_name(name), "{name}");
        }
    }

    #[test]
    fn two_generated_tokens_differ() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert!(one != other && one.len() == 2 * TOKEN_BYTES, "{one} {other}");
    }
}
