//! Who may come in, and what they may do.
//!
//! A caller is who its token says, or without a token, who its certificate says. Either names a role; [`rules`] says which
//! right each call needs. What the files say is read again when they change: who is still welcome goes on, who is not is
//! told to end.

mod caller;
mod certificate;
mod files;
mod renew;
mod role;
pub(crate) mod rules;
mod tls;
mod tokens;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use tokio_rustls::rustls::ServerConfig;

pub(crate) use caller::{Caller, Denied};
pub(crate) use certificate::Certificate;
use files::Contents;
pub use files::{AccessError, AccessFiles, TlsFiles};
pub use renew::Renewal;
pub(crate) use role::Right;
pub use role::{Role, UnknownRole};
pub(crate) use tls::Port;
use tls::Tls;
use tokens::Tokens;

/// Who may come in; clones are the same. The default lets everybody do everything.
#[derive(Clone, Default)]
pub struct Access(Arc<Inner>);

#[derive(Default)]
struct Inner {
    files: AccessFiles,
    credentials: RwLock<Arc<Credentials>>,
    /// What was read last, whether or not it could be used.
    read: Mutex<Option<Contents>>,
    /// The certificates of those who are connected.
    live: Mutex<Vec<Weak<Certificate>>>,
}

/// What the files said when they were last read and were right.
#[derive(Default)]
struct Credentials {
    tls: Option<Tls>,
    tokens: Option<Tokens>,
}

impl Access {
    /// Reads the files. An error if one of them cannot be read or used.
    pub fn load(files: AccessFiles) -> Result<Self, AccessError> {
        let contents = files.read()?;
        let credentials = RwLock::new(Arc::new(Credentials::new(&files, &contents)?));
        let inner = Inner { files, credentials, read: Mutex::new(Some(contents)), live: Mutex::default() };
        Ok(Self(Arc::new(inner)))
    }

    /// Tells whether connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.0.files.tls.is_some()
    }

    /// Tells whether callers have to say who they are.
    pub fn asks_who(&self) -> bool {
        self.0.files.tokens.is_some() || self.0.files.tls.as_ref().is_some_and(|tls| tls.client_ca.is_some())
    }

    /// Returns how to answer a handshake on this port, if connections are encrypted.
    pub(crate) fn handshake(&self, port: Port) -> Option<Arc<ServerConfig>> {
        self.credentials().tls.as_ref().map(|tls| tls.config(port))
    }

    /// Notes the certificate of somebody who has connected.
    pub(crate) fn enter(&self, certificate: &Arc<Certificate>) {
        self.live().push(Arc::downgrade(certificate));
        // The files may have changed since the handshake began.
        certificate.recheck(self.credentials().verifier());
    }

    /// Says whether a caller may do what needs this right. `authorization`: the value of the header of that name.
    pub(crate) fn admit(
        &self,
        certificate: Option<&Certificate>,
        authorization: Option<&[u8]>,
        right: Right,
    ) -> Result<Caller, Denied> {
        if right == Right::Open || !self.asks_who() {
            return Ok(Caller { revoked: None });
        }
        let credentials = self.credentials();
        match (authorization, certificate) {
            (Some(shown), _) => credentials.by_token(shown, right),
            (None, Some(certificate)) => by_certificate(certificate, right),
            (None, None) => Err(Denied::unknown(
                "this coordinator wants to know who calls: show a token, or a certificate that it accepts",
            )),
        }
    }

    fn credentials(&self) -> Arc<Credentials> {
        // Nothing panics while it holds one of these locks.
        self.0.credentials.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn live(&self) -> MutexGuard<'_, Vec<Weak<Certificate>>> {
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Credentials {
    fn new(files: &AccessFiles, contents: &Contents) -> Result<Self, AccessError> {
        let tokens = contents.tokens.as_deref().map(Tokens::parse).transpose();
        let tokens = tokens.map_err(|reason| files.bad_tokens(&reason))?;
        let tls = match (&files.tls, &contents.tls) {
            (Some(files), Some(contents)) => Some(Tls::new(files, contents, tokens.is_some())?),
            _ => None,
        };
        Ok(Self { tls, tokens })
    }

    fn verifier(&self) -> Option<&dyn tokio_rustls::rustls::server::danger::ClientCertVerifier> {
        self.tls.as_ref()?.verifier.as_deref()
    }

    fn by_token(&self, authorization: &[u8], right: Right) -> Result<Caller, Denied> {
        let Some(tokens) = &self.tokens else {
            return Err(Denied::unknown(
                "this coordinator takes no tokens; show a certificate that it accepts, and no token",
            ));
        };
        let shown = caller::token(authorization).ok_or_else(|| {
            Denied::unknown("show the token as `Bearer TOKEN`, or as the password of Basic authentication")
        })?;
        let token = tokens
            .find(&shown)
            .ok_or_else(|| Denied::unknown("this token is not, or no longer, one of this coordinator's"))?;
        if !token.role.has(right) {
            let who = format!("this token (line {}) is that of a {}", token.line, token.role);
            return Err(Denied::forbidden(&who, right));
        }
        Ok(Caller { revoked: Some(token.revoked.clone()) })
    }
}

fn by_certificate(certificate: &Certificate, right: Right) -> Result<Caller, Denied> {
    if certificate.revoked.is_cancelled() {
        return Err(Denied::unknown(
            "this certificate is no longer accepted; connect again with a newer one",
        ));
    }
    match certificate.role {
        Some(role) if role.has(right) => Ok(Caller { revoked: Some(certificate.revoked.clone()) }),
        Some(role) => {
            Err(Denied::forbidden(&format!("certificate {} is that of a {role}", certificate.name), right))
        }
        None => Err(Denied::forbidden(
            &format!("certificate {} names no role, as the URI nqueens:worker would", certificate.name),
            right,
        )),
    }
}
