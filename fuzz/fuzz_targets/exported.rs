//! Any bytes as an exported run: they are read or refused, and what is read can be written and read again.
//!
//! `cargo fuzz run exported -- -max_len=4096 -max_total_time=3600`

#![no_main]
#![allow(dead_code, unused_imports)] // The program's own module, of which this uses a part.

use libfuzzer_sys::fuzz_target;

#[path = "../../cli/src/export/mod.rs"]
mod export;

use export::{Format, Header, Reader, Row};

fuzz_target!(|bytes: &[u8]| {
    let Ok((header, rows)) = read(bytes) else { return };
    for format in [Format::Ndjson, Format::Csv] {
        let mut written = Vec::new();
        format.write_header(&mut written, &header).expect("memory can be written");
        rows.iter().for_each(|row| format.write_row(&mut written, row).expect("memory can be written"));
        assert_eq!(read(&written), Ok((header.clone(), rows.clone())));
    }
});

fn read(bytes: &[u8]) -> Result<(Header, Vec<Row>), String> {
    let (mut reader, header) = Reader::new(bytes)?;
    let mut rows = Vec::new();
    while let Some(row) = reader.row()? {
        rows.push(row);
    }
    Ok((header, rows))
}
