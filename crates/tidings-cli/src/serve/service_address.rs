//! The address of a Service, for the command line: `NAMESPACE/NAME[:PORT]=HOST:PORT`.

use std::net::SocketAddr;
use std::str::FromStr;

/// A Service and its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServiceAddress {
    pub(super) service: String,
    pub(super) address: SocketAddr,
}

impl FromStr for ServiceAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "expected NAMESPACE/NAME=HOST:PORT, such as default/webhook=127.0.0.1:9443";
        let (service, address) = text.split_once('=').ok_or_else(|| format!("{text:?}: {example}"))?;
        if !service.contains('/') {
            return Err(format!("{text:?}: {example}"));
        }
        let address = address.replace("localhost", "127.0.0.1");
        let address = address.parse().map_err(|error| format!("{text:?}: {error}; {example}"))?;
        Ok(Self { service: service.to_owned(), address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_an_address() {
        let parsed: ServiceAddress = "a/b:443=localhost:9443".parse().unwrap();
        assert_eq!(
            parsed,
            ServiceAddress { service: "a/b:443".to_owned(), address: ([127, 0, 0, 1], 9443).into() }
        );
        assert!("b=127.0.0.1:1".parse::<ServiceAddress>().is_err());
        assert!("a/b=nowhere".parse::<ServiceAddress>().is_err());
    }
}
