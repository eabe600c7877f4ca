//! A self-signed certificate authority and a server certificate. Both exist only while the socket is open.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use super::ListenError;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// A server's certificate and its authority's.
pub(super) struct Certificate {
    authority_pem: String,
    authority_der: Vec<u8>,
    config: Arc<ServerConfig>,
}

impl Certificate {
    /// A certificate for `localhost`, both loopback addresses, and this address.
    pub(super) fn for_address(address: SocketAddr) -> Result<Self, ListenError> {
        let failed = |cause| ListenError::Certificate { address, cause };
        let authority = authority().map_err(failed)?;
        let (server, key) = server(&authority, address.ip()).map_err(failed)?;
        let chain = vec![server.der().clone(), authority.der().clone()];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|cause| ListenError::Tls { address, cause })?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            authority_pem: authority.pem(),
            authority_der: authority.der().to_vec(),
            config: Arc::new(config),
        })
    }

    pub(super) fn server_config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }

    pub(super) fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    pub(super) fn authority_der(&self) -> Vec<u8> {
        self.authority_der.clone()
    }
}

fn authority() -> Result<CertifiedIssuer<'static, KeyPair>, rcgen::Error> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "tidings-apiserver-ca");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    CertifiedIssuer::self_signed(params, KeyPair::generate()?)
}

fn server(
    authority: &CertifiedIssuer<'static, KeyPair>,
    ip: IpAddr,
) -> Result<(rcgen::Certificate, KeyPair), rcgen::Error> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned(), "kubernetes".to_owned()];
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, "tidings-apiserver");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    if !ip.is_loopback() && !ip.is_unspecified() {
        params.subject_alt_names.push(SanType::IpAddress(ip));
    }
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, authority)?;
    Ok((certificate, key))
}

/// Does not print the private key.
impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate").finish_non_exhaustive()
    }
}
