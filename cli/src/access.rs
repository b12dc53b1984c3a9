//! Who may come into a coordinator of this process, and where it may listen: for other machines only if connections are
//! encrypted and callers say who they are.

use std::io;

use anyhow::{Context, bail};
use coordinator::{Access, AccessFiles, TlsFiles};
use tokio::net::{TcpListener, lookup_host};
use tracing::warn;

use crate::{args::AccessArgs, exit::Usage};

/// Reads the files that say who may come in.
pub(crate) fn open(args: &AccessArgs) -> anyhow::Result<Access> {
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(cert), Some(key)) => {
            Some(TlsFiles { cert: cert.clone(), key: key.clone(), client_ca: args.client_ca.clone() })
        }
        _ => None,
    };
    Ok(Access::load(AccessFiles { tls, tokens: args.tokens.clone() })?)
}

/// Where a coordinator listens.
pub(crate) struct Door<'a> {
    pub(crate) access: &'a Access,
    pub(crate) insecure: bool,
}

impl Door<'_> {
    /// Listens on an address. One that other machines can reach is refused without encryption and identity, unless that
    /// was wanted. `flag`: what the address was given with.
    pub(crate) async fn listen(&self, address: &str, flag: &str) -> anyhow::Result<TcpListener> {
        let cannot = || format!("cannot listen on {address}");
        let addresses: Vec<_> = lookup_host(address).await.with_context(cannot)?.collect();
        if addresses.iter().any(|address| !address.ip().to_canonical().is_loopback()) {
            self.let_others_in(address, flag)?;
        }
        match TcpListener::bind(&*addresses).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => bail!(
                "cannot listen on {address}: another program does; stop it, or choose another address with {flag}"
            ),
            bound => bound.with_context(cannot),
        }
    }

    fn let_others_in(&self, address: &str, flag: &str) -> Result<(), Usage> {
        let missing = match (self.access.is_encrypted(), self.access.asks_who()) {
            (true, true) => return Ok(()),
            (true, false) => "without asking who calls: give --client-ca, or --tokens",
            (false, true) => "without encryption: give --tls-cert and --tls-key",
            (false, false) => {
                "without encryption and without asking who calls: give --tls-cert and --tls-key, and --client-ca or \
                 --tokens (`nqueens certs init DIR` makes them for a trial)"
            }
        };
        if self.insecure {
            warn!(
                "insecure: other machines can reach {address}, {}",
                missing.split(':').next().unwrap_or(missing)
            );
            return Ok(());
        }
        Err(Usage(format!(
            "{flag} {address} would let other machines in {missing}; or listen on 127.0.0.1; or say --insecure if only \
             those can reach it whom you trust"
        )))
    }
}
