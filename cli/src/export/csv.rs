//! Lines of comma-separated values. No field needs quotes; the queens are `row:column` pairs, and these and
//! the columns have spaces between them.

use queens::Square;

use super::{
    ndjson::number,
    record::{Row, kind},
};

/// What stands before the header.
pub(super) const MARK: &str = "# ";
/// The second line.
pub(super) const COLUMNS: &str = "index,kind,queens,columns,weight,count,worker";

/// Returns the line of a job.
pub(super) fn row_line(row: &Row) -> String {
    let queens: Vec<_> = row.queens.iter().map(|queen| format!("{}:{}", queen.row, queen.column)).collect();
    let columns: Vec<_> = row.columns.iter().map(u32::to_string).collect();
    let Row { index, kind, weight, count, worker, .. } = row;
    let (kind, queens, columns) = (kind.name(), queens.join(" "), columns.join(" "));
    format!("{index},{kind},{queens},{columns},{weight},{count},{worker}")
}

/// Reads the line of a job, or says what is wrong with it.
pub(super) fn row(line: &str) -> Result<Row, String> {
    let fields: Vec<_> = line.split(',').collect();
    let &[index, name, queens, columns, weight, count, worker] = fields.as_slice() else {
        return Err(format!("a job has 7 fields ({COLUMNS}), and here are {}", fields.len()));
    };
    Ok(Row {
        index: number(index)?,
        kind: kind(name).ok_or_else(|| format!("{name:?} is no kind of plan"))?,
        queens: words(queens).map(square).collect::<Result<_, _>>()?,
        columns: words(columns).map(number).collect::<Result<_, _>>()?,
        weight: number(weight)?,
        count: number(count)?,
        worker: number(worker)?,
    })
}

fn words(field: &str) -> impl Iterator<Item = &str> {
    field.split(' ').filter(|word| !word.is_empty())
}

fn square(pair: &str) -> Result<Square, String> {
    let (row, column) = pair.split_once(':').ok_or_else(|| format!("{pair:?} is no row:column"))?;
    Ok(Square::new(number(row)?, number(column)?))
}
