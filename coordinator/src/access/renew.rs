//! Reads the files again when they change. A bad file changes nothing and is complained of once.

use std::{sync::Arc, time::Duration};

use tokio::{
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{Access, AccessError, Contents, Credentials, PoisonError};

/// How often the files are looked at. They are small, so their content is compared and not their times.
const EVERY: Duration = Duration::from_secs(2);
/// After so many looks, connected certificates are checked even if nothing changed: they may have expired.
const LOOKS_A_CHECK: u32 = 15;

/// What reading the files again has come to.
#[derive(Debug)]
pub enum Renewal {
    /// They are as they were.
    Unchanged,
    /// They are others and hold from now on.
    Renewed,
    /// They cannot be used. What held before still holds.
    Kept(AccessError),
}

impl Access {
    /// Reads the files again, and logs what has come of it. Those who are no longer accepted are told to end.
    pub fn renew(&self) -> Renewal {
        let renewal = self.read_again();
        match &renewal {
            Renewal::Unchanged => {}
            Renewal::Renewed => {
                info!("certificates and tokens were read again; the new ones hold from now on")
            }
            Renewal::Kept(error) => warn!("{error}; the certificates and tokens from before still hold"),
        }
        renewal
    }

    /// Renews whenever the files change, until `stop` is cancelled.
    pub(crate) async fn keep_fresh(self, stop: CancellationToken) {
        if !self.is_encrypted() && !self.asks_who() {
            return;
        }
        let mut looks = interval(EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut complaint = None;
        for look in 1_u32.. {
            if stop.run_until_cancelled(looks.tick()).await.is_none() {
                return;
            }
            let access = self.clone();
            let looked = spawn_blocking(move || {
                let renewal = access.read_again();
                if look.is_multiple_of(LOOKS_A_CHECK) {
                    access.recheck();
                }
                renewal
            });
            let now = match looked.await {
                Ok(Renewal::Renewed) => {
                    info!("certificates and tokens have changed; the new ones hold from now on");
                    None
                }
                Ok(Renewal::Unchanged) => continue,
                Ok(Renewal::Kept(error)) => Some(error.to_string()),
                Err(_) => return,
            };
            if now != complaint {
                if let Some(error) = &now {
                    warn!("{error}; the certificates and tokens from before still hold");
                }
                complaint = now;
            }
        }
    }

    fn read_again(&self) -> Renewal {
        let mut read = self.0.read.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = match self.0.files.read() {
            Ok(contents) if read.as_ref() == Some(&contents) => return Renewal::Unchanged,
            Ok(contents) => contents,
            Err(error) => {
                // Whatever is there next is news.
                *read = None;
                return Renewal::Kept(error);
            }
        };
        let renewed = self.replace(&contents);
        *read = Some(contents);
        match renewed {
            Ok(()) => Renewal::Renewed,
            Err(error) => Renewal::Kept(error),
        }
    }

    fn replace(&self, contents: &Contents) -> Result<(), AccessError> {
        let mut new = Credentials::new(&self.0.files, contents)?;
        let old = self.credentials();
        if let (Some(new), Some(old)) = (&mut new.tokens, &old.tokens) {
            new.succeed(old);
        }
        let new = Arc::new(new);
        *self.0.credentials.write().unwrap_or_else(PoisonError::into_inner) = new.clone();
        // Only now, so that nobody comes in with what was just revoked.
        if let (Some(new), Some(old)) = (&new.tokens, &old.tokens) {
            old.revoke_all_but(new);
        }
        self.recheck();
        Ok(())
    }

    /// Ends what those do whose certificates are no longer accepted.
    fn recheck(&self) {
        let credentials = self.credentials();
        self.live().retain(|certificate| match certificate.upgrade() {
            Some(certificate) => {
                certificate.recheck(credentials.verifier());
                true
            }
            None => false,
        });
    }
}
