//! How messages are encoded and decoded: as tonic does it, with buffers that start small.
//!
//! tonic gives each call 16 KB of buffers. A coordinator has a call for each worker that is open for weeks and says a few
//! dozen bytes a second, so ten thousand workers would take 160 MB of them.

use std::marker::PhantomData;

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::ProstCodec;

/// What each buffer of a call starts with; it grows with its messages.
const START_BYTES: usize = 512;
/// An encoder hands over what it has once it has this much. The same as tonic's.
const YIELD_BYTES: usize = 32 * 1024;

/// Encodes `T` and decodes `U`.
#[derive(Debug)]
pub struct SmallBuffers<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallBuffers<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallBuffers<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = <ProstCodec<T, U> as Codec>::Encoder;
    type Decoder = <ProstCodec<T, U> as Codec>::Decoder;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(settings())
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(settings())
    }
}

fn settings() -> BufferSettings {
    BufferSettings::new(START_BYTES, YIELD_BYTES)
}
