//! A request to follow a run, byte for byte as HTTP/2 has it: for watchers that do not read, which no client library will
//! be. What limits how much the server may send is set as high as it goes.

use prost::Message;

use nqueens_proto::v1::WatchRunRequest;

const LARGEST: u32 = (1 << 31) - 1;
/// The window of a connection at its beginning.
const FIRST_WINDOW: u32 = 65_535;

/// Returns all that a client sends to be told of the changes of a run.
pub(crate) fn watch_run(run_id: u64) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let window = [&[0, 4][..], &LARGEST.to_be_bytes()].concat();
    bytes.extend(frame(4, 0, 0, &window));
    bytes.extend(frame(8, 0, 0, &(LARGEST - FIRST_WINDOW).to_be_bytes()));
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/nqueens.v1.RunService/WatchRun"),
        (":authority", "localhost"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    bytes.extend(frame(1, 4, 1, &headers.map(|(name, value)| literal(name, value)).concat()));
    let message = WatchRunRequest { run_id }.encode_to_vec();
    let length = (message.len() as u32).to_be_bytes();
    bytes.extend(frame(0, 1, 1, &[&[0][..], &length, &message].concat()));
    bytes
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Writes a header field that is in no table.
fn literal(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}
