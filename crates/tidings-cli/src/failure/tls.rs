//! What TLS did not like about a server, and what a person does about it. It reads errors, and knows nothing of the
//! certificates themselves: none of their content is ever repeated.

use std::error::Error;
use std::io;

use rustls::CertificateError::{
    BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
    NotValidYetContext, UnknownIssuer,
};
use rustls::Error::{InvalidCertificate, InvalidMessage};
use rustls::InvalidMessage::InvalidContentType;

/// What is wrong with the server's TLS and what to do, if that is what went wrong.
pub(super) fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    Some(match find(error)? {
        InvalidCertificate(Expired | ExpiredContext { .. }) => {
            "the server's certificate has expired; have it renewed, or set the clock of this machine right"
        }
        InvalidCertificate(NotValidYet | NotValidYetContext { .. }) => {
            "the server's certificate is not valid yet; set the clock of this machine right"
        }
        InvalidCertificate(UnknownIssuer | BadSignature) => {
            "the server's certificate is signed by nobody you trust; use the kubeconfig of this cluster, with its \
             certificate-authority"
        }
        InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            "the server's certificate is for other names; use an address that it names, or tls-server-name in the \
             kubeconfig"
        }
        InvalidMessage(InvalidContentType) => {
            "the server does not speak TLS; try http:// instead of https://"
        }
        _ => return None,
    })
}

/// TLS's own error among the causes. An `io::Error` passes over what it wraps when it is query for its source.
fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = wrapped.map(|wrapped| wrapped as &(dyn Error + 'static)).or_else(|| cause.source());
    }
    None
}
