//! Lines of JSON. Numbers that may exceed 2^53 are decimal strings, as everywhere.

use queens::{Size, Square};
use serde::{Deserialize, Serialize};

use super::record::{Answer, Goal, Header, Part, Row, Symmetric, kind};

/// The version of the lines below.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    nqueens_run: u32,
    n: u64,
    goal: String,
    parts: Vec<PartLine>,
    answer: Option<AnswerLine>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartLine {
    kind: String,
    depth: u32,
    jobs: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerLine {
    total: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fundamental: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    half_turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quarter_turn: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowLine {
    index: String,
    kind: String,
    queens: Vec<(u8, u8)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<u32>,
    weight: u32,
    count: String,
    worker: u64,
}

/// Returns the first line of an export.
pub(super) fn header_line(header: &Header) -> String {
    let part = |part: &Part| PartLine {
        kind: part.kind.name().to_owned(),
        depth: part.depth,
        jobs: part.jobs.to_string(),
    };
    let goal = match header.goal {
        Goal::Count => "count",
        Goal::Boards => "boards",
    };
    let line = HeaderLine {
        nqueens_run: VERSION,
        n: header.size.get().into(),
        goal: goal.to_owned(),
        parts: header.parts.iter().map(part).collect(),
        answer: header.answer.map(answer_line),
    };
    serde_json::to_string(&line).expect("strings and numbers can be written")
}

fn answer_line(answer: Answer) -> AnswerLine {
    let number = |pick: fn(Symmetric) -> u128| answer.symmetric.map(|symmetric| pick(symmetric).to_string());
    AnswerLine {
        total: answer.total.to_string(),
        fundamental: number(|symmetric| symmetric.fundamental),
        half_turn: number(|symmetric| symmetric.half_turn),
        quarter_turn: number(|symmetric| symmetric.quarter_turn),
    }
}

/// Returns the line of a job.
pub(super) fn row_line(row: &Row) -> String {
    let line = RowLine {
        index: row.index.to_string(),
        kind: row.kind.name().to_owned(),
        queens: row.queens.iter().map(|queen| (queen.row, queen.column)).collect(),
        columns: row.columns.clone(),
        weight: row.weight,
        count: row.count.to_string(),
        worker: row.worker,
    };
    serde_json::to_string(&line).expect("strings and numbers can be written")
}

/// Reads the first line of an export, or says what is wrong with it.
pub(super) fn header(line: &str) -> Result<Header, String> {
    let line: HeaderLine =
        serde_json::from_str(line).map_err(|error| format!("this is no exported run: {error}"))?;
    if line.nqueens_run != VERSION {
        return Err(format!("the export has version {}, and this program reads {VERSION}", line.nqueens_run));
    }
    let goal = match line.goal.as_str() {
        "count" => Goal::Count,
        "boards" => Goal::Boards,
        other => return Err(format!("{other:?} is no goal of a run")),
    };
    let size = Size::new(line.n).map_err(|error| error.to_string())?;
    let parts = line.parts.into_iter().map(part).collect::<Result<_, _>>()?;
    let answer = line.answer.map(|line| answer(goal, &line)).transpose()?;
    Ok(Header { size, goal, parts, answer })
}

fn part(line: PartLine) -> Result<Part, String> {
    let kind = kind(&line.kind).ok_or_else(|| format!("{:?} is no kind of plan", line.kind))?;
    Ok(Part { kind, depth: line.depth, jobs: number(&line.jobs)? })
}

fn answer(goal: Goal, line: &AnswerLine) -> Result<Answer, String> {
    let symmetric = match (goal, &line.fundamental, &line.half_turn, &line.quarter_turn) {
        (Goal::Boards, None, None, None) => None,
        (Goal::Count, Some(fundamental), Some(half_turn), Some(quarter_turn)) => Some(Symmetric {
            fundamental: number(fundamental)?,
            half_turn: number(half_turn)?,
            quarter_turn: number(quarter_turn)?,
        }),
        _ => return Err("the answer does not fit the goal of the run".to_owned()),
    };
    Ok(Answer { total: number(&line.total)?, symmetric })
}

/// Reads the line of a job, or says what is wrong with it.
pub(super) fn row(line: &str) -> Result<Row, String> {
    let line: RowLine = serde_json::from_str(line).map_err(|error| format!("this is no job: {error}"))?;
    Ok(Row {
        index: number(&line.index)?,
        kind: kind(&line.kind).ok_or_else(|| format!("{:?} is no kind of plan", line.kind))?,
        queens: line.queens.into_iter().map(|(row, column)| Square::new(row, column)).collect(),
        columns: line.columns,
        weight: line.weight,
        count: number(&line.count)?,
        worker: line.worker,
    })
}

/// Reads a decimal number without a sign.
pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = is_plain.then(|| text.parse().ok()).flatten();
    parsed.ok_or_else(|| format!("{text:?} is no number, or too large"))
}
