//! An answer that ends early if its caller is no longer welcome, and that takes up its place until it ends.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use http_body::{Body, Frame, SizeHint};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::Admitted;
use crate::listen::Place;

/// What a caller gets in place of the rest of an answer.
pub(crate) type Instead<B> = fn() -> Result<Frame<<B as Body>::Data>, <B as Body>::Error>;

/// The body of an answer.
pub(crate) struct Guarded<B: Body> {
    body: B,
    revoked: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    instead: Instead<B>,
    over: bool,
    _place: Option<Place>,
}

impl<B: Body> Guarded<B> {
    pub(crate) fn new(body: B, admitted: Admitted, instead: Instead<B>) -> Self {
        let revoked = admitted.caller.revoked.map(|revoked| Box::pin(revoked.cancelled_owned()));
        Self { body, revoked, instead, over: false, _place: admitted.place }
    }
}

impl<B: Body + Unpin> Body for Guarded<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        if self.over {
            return Poll::Ready(None);
        }
        if self.revoked.as_mut().is_some_and(|revoked| revoked.as_mut().poll(context).is_ready()) {
            self.over = true;
            return Poll::Ready(Some((self.instead)()));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.over || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
