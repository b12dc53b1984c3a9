//! Where every call is asked who makes it, before anything else is done with it: the same for both ports.

mod body;
mod grpc;

use std::sync::Arc;

use tracing::warn;

pub(crate) use body::Guarded;
pub(crate) use grpc::GateLayer;

use crate::{
    access::{Access, Caller, Denied, Right},
    listen::{Complaints, Peer, Place, Places},
    settings::Limits,
};

/// Paths longer than this are cut in the log.
const PATH_LOGGED: usize = 120;

/// Lets callers in or refuses them; clones are the same.
#[derive(Clone)]
pub(crate) struct Gate {
    access: Access,
    calls: Places,
    complaints: Arc<Complaints>,
}

/// A call that may go on.
pub(crate) struct Admitted {
    pub(crate) caller: Caller,
    /// What the call takes up of what its peer may have.
    pub(crate) place: Option<Place>,
}

impl Gate {
    pub(crate) fn new(access: Access, limits: &Limits) -> Self {
        Self { access, calls: Places::new(limits.calls_per_peer), complaints: Arc::new(Complaints::new()) }
    }

    /// Tells whether callers have to say who they are.
    pub(crate) fn asks_who(&self) -> bool {
        self.access.asks_who()
    }

    /// Says whether a call may go on, and logs it if not. `what`: the path of the call. Without a peer, which only
    /// simulations have, nothing is counted.
    pub(crate) fn admit(
        &self,
        peer: Option<&Peer>,
        authorization: Option<&[u8]>,
        right: Right,
        what: &str,
    ) -> Result<Admitted, Denied> {
        let certificate = peer.and_then(|peer| peer.certificate.as_deref());
        let place = peer.map(|peer| self.calls.take(peer.address.ip()).ok_or(self.calls.most())).transpose();
        let admitted = self
            .access
            .admit(certificate, authorization, right)
            .and_then(|caller| Ok(Admitted { caller, place: place.map_err(Denied::TooMany)? }));
        admitted.inspect_err(|denied| {
            let peer = peer.map(|peer| peer.address);
            let what = &what[..what.floor_char_boundary(PATH_LOGGED)];
            self.complaints.say(|| warn!(?peer, ?what, why = %denied, "call refused"));
        })
    }
}
