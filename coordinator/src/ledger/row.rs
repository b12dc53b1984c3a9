//! Rows of the ledger: their fields as SQLite stores them, sealed.

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Row, ToSql};

use super::{LedgerError, seal::Seal};

/// A field of a row.
#[derive(Clone, Debug)]
pub(super) enum Field {
    Number(u64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl ToSql for Field {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            // SQLite has signed integers of 64 bits; all bits are kept.
            Self::Number(number) => ToSqlOutput::Owned(Value::Integer(*number as i64)),
            Self::Real(real) => ToSqlOutput::Owned(Value::Real(*real)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl From<u64> for Field {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Field {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<f64> for Field {
    fn from(real: f64) -> Self {
        Self::Real(real)
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&[u8]> for Field {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.to_owned())
    }
}

fn seal(table: &str, fields: &[Field]) -> i64 {
    let add = |seal: Seal, field: &Field| match field {
        Field::Number(number) => seal.number(*number),
        Field::Real(real) => seal.number(real.to_bits()),
        Field::Text(text) => seal.bytes(text.as_bytes()),
        Field::Bytes(bytes) => seal.bytes(bytes),
    };
    fields.iter().fold(Seal::of(table), add).finish()
}

/// Writes a row of `table`, with its seal as the last column.
pub(super) fn insert(
    statement: &mut CachedStatement<'_>,
    table: &str,
    fields: &[Field],
) -> Result<(), LedgerError> {
    for (column, field) in fields.iter().enumerate() {
        statement.raw_bind_parameter(column + 1, field)?;
    }
    statement.raw_bind_parameter(fields.len() + 1, seal(table, fields))?;
    statement.raw_execute()?;
    Ok(())
}

/// Reads the fields of a row of `table` whose last selected column is the seal, and checks it.
pub(super) fn read(table: &str, row: &Row<'_>, fields: &mut Vec<Field>) -> Result<(), LedgerError> {
    let columns = row.as_ref().column_count() - 1;
    fields.clear();
    for column in 0..columns {
        fields.push(field(table, row.get_ref(column)?)?);
    }
    let stored: i64 = row.get(columns)?;
    if stored != seal(table, fields) {
        return Err(LedgerError::Damaged(format!(
            "a row of table {table} does not match its seal: {fields:?}"
        )));
    }
    Ok(())
}

fn field(table: &str, value: ValueRef<'_>) -> Result<Field, LedgerError> {
    Ok(match value {
        ValueRef::Integer(number) => Field::Number(number as u64),
        ValueRef::Real(real) => Field::Real(real),
        ValueRef::Text(text) => Field::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Field::Bytes(bytes.to_owned()),
        ValueRef::Null => return Err(wrong(table)),
    })
}

fn wrong(table: &str) -> LedgerError {
    LedgerError::Damaged(format!("a row of table {table} has a field of the wrong kind"))
}

/// Takes the fields of a row one after another.
pub(super) struct Fields<'a> {
    table: &'a str,
    fields: std::slice::Iter<'a, Field>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(table: &'a str, fields: &'a [Field]) -> Self {
        Self { table, fields: fields.iter() }
    }

    /// Returns the error that a field of this row is of the wrong kind.
    pub(super) fn wrong(&self) -> LedgerError {
        wrong(self.table)
    }

    pub(super) fn number(&mut self) -> Result<u64, LedgerError> {
        match self.fields.next() {
            Some(Field::Number(number)) => Ok(*number),
            _ => Err(self.wrong()),
        }
    }

    pub(super) fn small(&mut self) -> Result<u32, LedgerError> {
        self.number()?.try_into().map_err(|_| self.wrong())
    }

    pub(super) fn real(&mut self) -> Result<f64, LedgerError> {
        match self.fields.next() {
            Some(Field::Real(real)) => Ok(*real),
            _ => Err(self.wrong()),
        }
    }

    pub(super) fn text(&mut self) -> Result<&'a str, LedgerError> {
        match self.fields.next() {
            Some(Field::Text(text)) => Ok(text),
            _ => Err(self.wrong()),
        }
    }

    /// Reads a decimal number that may exceed 64 bits; 0 if the text is empty.
    pub(super) fn decimal(&mut self) -> Result<u128, LedgerError> {
        match self.text()? {
            "" => Ok(0),
            text => text.parse().map_err(|_| self.wrong()),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], LedgerError> {
        match self.fields.next() {
            Some(Field::Bytes(bytes)) => Ok(bytes),
            _ => Err(self.wrong()),
        }
    }
}
