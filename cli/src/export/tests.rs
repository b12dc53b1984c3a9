//! What is written is read again, and nothing else is.

use queens::{Size, Square, split::Kind};

use super::*;

fn header() -> Header {
    let part = |kind, depth, jobs| Part { kind, depth, jobs };
    let symmetric = Symmetric { fundamental: 12, half_turn: 4, quarter_turn: 0 };
    Header {
        size: Size::new(8).unwrap(),
        goal: Goal::Count,
        parts: vec![part(Kind::HalfTurn, 0, 1), part(Kind::Cross, 1, u64::MAX), part(Kind::Columns, 0, 7)],
        answer: Some(Answer { total: u128::MAX, symmetric: Some(symmetric) }),
    }
}

fn rows() -> Vec<Row> {
    let queens = vec![Square::new(3, 0), Square::new(4, 7)];
    let first = Row {
        index: 0,
        kind: Kind::HalfTurn,
        queens: vec![],
        columns: vec![],
        weight: 1,
        count: 4,
        worker: 0,
    };
    let columns = Row { index: 1, kind: Kind::Columns, columns: vec![0, 3, 4, 6], ..first.clone() };
    let kind = Kind::Cross;
    vec![
        first,
        columns,
        Row { index: u64::MAX, kind, queens, columns: vec![], weight: 8, count: u64::MAX, worker: u64::MAX },
    ]
}

fn written(format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    format.write_header(&mut out, &header()).unwrap();
    rows().iter().for_each(|row| format.write_row(&mut out, row).unwrap());
    out
}

/// Reads all of an export.
fn read(bytes: &[u8]) -> Result<(Header, Vec<Row>), String> {
    let (mut reader, header) = Reader::new(bytes)?;
    let mut rows = Vec::new();
    while let Some(row) = reader.row()? {
        rows.push(row);
    }
    Ok((header, rows))
}

#[test]
fn what_is_written_is_read() {
    for format in [Format::Ndjson, Format::Csv] {
        assert_eq!(read(&written(format)), Ok((header(), rows())), "{format:?}");
    }
}

#[test]
fn a_file_that_is_cut_short_is_refused_or_has_fewer_jobs() {
    for format in [Format::Ndjson, Format::Csv] {
        let whole = written(format);
        for end in 0..whole.len() {
            let fewer = read(&whole[..end]).is_ok_and(|(_, read)| read.len() >= rows().len());
            assert!(!fewer, "{format:?} cut to {end} bytes");
        }
    }
}

#[test]
fn nonsense_is_refused_with_its_line() {
    let good = String::from_utf8(written(Format::Ndjson)).unwrap();
    let with_row = |row: &str| format!("{}\n{row}\n", good.lines().next().unwrap());
    let cases = [
        (String::new(), "empty"),
        ("nonsense\n".to_owned(), "line 1"),
        (good.replace("\"n\":8", "\"n\":33"), "1 to 32"),
        (good.replace("\"nqueens_run\":1", "\"nqueens_run\":2"), "version 2"),
        (good.replace("\"goal\":\"count\"", "\"goal\":\"boards\""), "does not fit"),
        (good.replace("half_turn\",\"depth", "nonsense\",\"depth"), "no kind"),
        (with_row("{}"), "line 2"),
        (with_row("\u{0}"), "line 2"),
        (good.replace("\"count\":\"4\"", "\"count\":\"-4\""), "no number"),
        (good.replace("\"count\":\"4\"", "\"count\":\"18446744073709551616\""), "too large"),
        (with_row(&"x".repeat(1 << 17)), "too long"),
    ];
    for (text, words) in cases {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.contains(words), "{error:?} lacks {words:?}");
    }
}
