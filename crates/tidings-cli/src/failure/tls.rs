//! Explains TLS errors and what to do about them. It reads only the type of the error, never the content of a
//! certificate.

use std::error::Error;
use std::io;

use rustls::CertificateError::{
    BadSignature, Expired, ExpiredContext, NotValidForName, NotValidForNameContext, NotValidYet,
    NotValidYetContext, UnknownIssuer,
};
use rustls::Error::{InvalidCertificate, InvalidMessage};
use rustls::InvalidMessage::InvalidContentType;

/// What is wrong with the server's TLS and what to do, or `None` if the error has another cause.
pub(super) fn advice(error: &(dyn Error + 'static)) -> Option<&'static str> {
    Some(match find(error)? {
        InvalidCertificate(Expired | ExpiredContext { .. }) => {
            "the server's certificate has expired; renew it, or correct the clock of this machine"
        }
        InvalidCertificate(NotValidYet | NotValidYetContext { .. }) => {
            "the server's certificate is not valid yet; correct the clock of this machine"
        }
        InvalidCertificate(UnknownIssuer | BadSignature) => {
            "the server's certificate is signed by an authority that is not trusted; use the kubeconfig of this cluster, \
             which contains its certificate-authority"
        }
        InvalidCertificate(NotValidForName | NotValidForNameContext { .. }) => {
            "the server's certificate is valid for other names; use one of these names as the address, or set \
             tls-server-name in the kubeconfig"
        }
        InvalidMessage(InvalidContentType) => {
            "the server does not speak TLS; try http:// instead of https://"
        }
        _ => return None,
    })
}

/// Finds the rustls error among the causes. `io::Error::source` skips the error that it wraps, so that one is read with
/// `get_ref`.
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
