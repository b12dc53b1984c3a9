//! Who this program is to a coordinator, and which coordinator it believes. The files are read anew for each connection, and
//! the token for each call, so that they may be replaced at any time.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context, bail};
use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};
use worker::Dial;

use crate::{args::CredentialArgs, exit::Usage, url::Url};

/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Returns where to connect to, with what the files say. An error if a file cannot be read, or if credentials and address do
/// not fit each other.
pub(crate) fn endpoint(url: &Url, credentials: &CredentialArgs) -> anyhow::Result<Endpoint> {
    check(url, credentials)?;
    let endpoint = Endpoint::from(url.uri());
    if !url.is_encrypted() {
        return Ok(endpoint);
    }
    let mut tls = ClientTlsConfig::new().domain_name(url.host()).timeout(HANDSHAKE);
    if let Some(ca) = &credentials.ca {
        tls = tls.ca_certificate(Certificate::from_pem(read(ca)?));
    }
    if let (Some(cert), Some(key)) = (&credentials.cert, &credentials.key) {
        tls = tls.identity(Identity::from_pem(read(cert)?, read(key)?));
    }
    endpoint.tls_config(tls).context("--ca, --cert or --key is not a PEM file of what it should have")
}

/// Returns the value of the `authorization` header that shows the token, if there is one.
pub(crate) fn authorization(credentials: &CredentialArgs) -> anyhow::Result<Option<MetadataValue<Ascii>>> {
    let Some(file) = &credentials.token_file else { return Ok(None) };
    let text = String::from_utf8(read(file)?).ok();
    let token = text.as_deref().map(str::trim).filter(|token| !token.is_empty());
    let value = token.and_then(|token| format!("Bearer {token}").parse().ok());
    let Some(mut value): Option<MetadataValue<Ascii>> = value else {
        bail!("{} has no token; it should have one, and nothing else", file.display());
    };
    value.set_sensitive(true);
    Ok(Some(value))
}

fn check(url: &Url, credentials: &CredentialArgs) -> Result<(), Usage> {
    let wrong = |sentence: String| Err(Usage(sentence));
    if url.is_encrypted() && credentials.ca.is_none() {
        return wrong(format!(
            "{url} needs --ca, the authority that signed the coordinator's certificate; for a public one, the file in \
             which the system keeps those, such as /etc/ssl/certs/ca-certificates.crt"
        ));
    }
    if !url.is_encrypted() && (credentials.ca.is_some() || credentials.cert.is_some()) {
        return wrong(format!(
            "--ca and --cert are for addresses that begin with https://, and not for {url}"
        ));
    }
    if credentials.token_file.is_some() && !url.is_encrypted() && !url.is_on_this_machine() {
        return wrong(format!("the token would be sent to {url} for everybody to read; use https://"));
    }
    Ok(())
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Shows the token with each call.
#[derive(Clone, Debug)]
pub(crate) struct Shown(pub(crate) CredentialArgs);

impl Interceptor for Shown {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let shown = authorization(&self.0).map_err(|error| Status::unauthenticated(format!("{error:#}")))?;
        if let Some(shown) = shown {
            request.metadata_mut().insert("authorization", shown);
        }
        Ok(request)
    }
}

/// How the worker reaches its coordinator.
#[derive(Debug)]
pub(crate) struct Way {
    url: Url,
    credentials: CredentialArgs,
}

impl Way {
    /// An error if the files cannot be used as they are now.
    pub(crate) fn new(url: Url, credentials: CredentialArgs) -> anyhow::Result<Self> {
        endpoint(&url, &credentials)?;
        authorization(&credentials)?;
        Ok(Self { url, credentials })
    }
}

impl Dial for Way {
    async fn dial(&self) -> Result<Channel, worker::Error> {
        let endpoint = endpoint(&self.url, &self.credentials).map_err(unreadable)?;
        Ok(worker::client::settled(endpoint).connect().await?)
    }

    fn authorization(&self) -> Result<Option<MetadataValue<Ascii>>, worker::Error> {
        authorization(&self.credentials).map_err(unreadable)
    }
}

fn unreadable(error: anyhow::Error) -> worker::Error {
    worker::Error::Credentials(format!("{error:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_address_must_fit() {
        let some = || Some("file".into());
        let none = CredentialArgs::default;
        for (url, credentials, fits) in [
            ("http://host:1", none(), true),
            ("https://host:1", none(), false),
            ("https://host:1", CredentialArgs { ca: some(), ..none() }, true),
            ("http://localhost:1", CredentialArgs { ca: some(), ..none() }, false),
            ("http://localhost:1", CredentialArgs { token_file: some(), ..none() }, true),
            ("http://host:1", CredentialArgs { token_file: some(), ..none() }, false),
            ("https://host:1", CredentialArgs { ca: some(), token_file: some(), ..none() }, true),
        ] {
            let url: Url = url.parse().expect("an address");
            assert_eq!(check(&url, &credentials).is_ok(), fits, "{url} {credentials:?}");
        }
    }
}
