//! A right run is verified, and every way to be wrong is found.

use queens::plain;

use super::*;
use crate::export::Symmetric;

/// Returns a right export of a run.
fn right(n: u64, goal: Goal) -> (Header, Vec<Row>) {
    let main: &[(Kind, u32)] = match goal {
        Goal::Count => &[(Kind::Cross, 1)],
        Goal::Boards => &[(Kind::Rows, 2)],
    };
    right_of(n, goal, main)
}

/// Returns a right export of a run whose main part and check are split so.
fn right_of(n: u64, goal: Goal, main: &[(Kind, u32)]) -> (Header, Vec<Row>) {
    let size = Size::new(n).unwrap();
    let turns: &[(Kind, u32)] = match goal {
        Goal::Count => &[(Kind::HalfTurn, 0), (Kind::QuarterTurn, 0)],
        Goal::Boards => &[],
    };
    let kinds = [turns, main].concat();
    let plans: Vec<Plan> = kinds.iter().map(|&(kind, depth)| Plan::new(size, kind, depth).unwrap()).collect();
    let parts = plans.iter().map(|plan| Part { kind: plan.kind(), depth: plan.depth(), jobs: plan.jobs() });
    let jobs = plans.iter().flat_map(|plan| plan.jobs_from(0).map(|job| (plan.kind(), job)));
    let rows: Vec<Row> = (0..).zip(jobs).map(|(index, (kind, job))| row(size, index, kind, job)).collect();
    let sum = |kind: Kind| -> u128 {
        let rows = rows.iter().filter(|row| row.kind == kind);
        rows.map(|row| u128::from(row.count) * u128::from(row.weight)).sum()
    };
    let answer = match goal {
        Goal::Boards => Answer { total: sum(Kind::Rows), symmetric: None },
        Goal::Count => {
            let (total, half_turn, quarter_turn) =
                (sum(main[0].0), sum(Kind::HalfTurn), sum(Kind::QuarterTurn));
            let fundamental = turns::fundamental(size, total, half_turn, quarter_turn).unwrap();
            Answer { total, symmetric: Some(Symmetric { fundamental, half_turn, quarter_turn }) }
        }
    };
    (Header { size, goal, parts: parts.collect(), answer: Some(answer) }, rows)
}

fn row(size: Size, index: u64, kind: Kind, job: Job) -> Row {
    Row {
        index,
        kind,
        queens: job.work.queens().to_vec(),
        columns: job.work.column_set().map(|set| v1::ColumnSet::from(set).columns).unwrap_or_default(),
        weight: job.weight,
        count: plain::count(size, &job.work).unwrap(),
        worker: 1,
    }
}

fn verify(header: &Header, rows: &[Row]) -> Result<Verified, String> {
    let plans = Plans::of(header)?;
    let mut verifier = Verifier::new(header.clone(), &plans, usize::MAX);
    rows.iter().try_for_each(|row| verifier.row(row))?;
    verifier.finish()
}

#[test]
fn right_runs_are_verified() {
    for (n, goal, total) in [(8, Goal::Count, 92), (7, Goal::Boards, 40), (9, Goal::Count, 352)] {
        let (header, rows) = right(n, goal);
        let verified = verify(&header, &rows).unwrap();
        assert_eq!((verified.answer.total, verified.jobs), (total, rows.len() as u64));
        assert_eq!(verified.sampled, rows.len());
    }
}

#[test]
fn runs_by_columns_and_by_both_are_verified() {
    let (cross, columns) = ((Kind::Cross, 0), (Kind::Columns, 0));
    for main in [&[columns][..], &[columns, cross], &[cross, columns]] {
        let (header, rows) = right_of(8, Goal::Count, main);
        assert_eq!(verify(&header, &rows).unwrap().answer.total, 92);
        let of_columns: Vec<usize> =
            (0..rows.len()).filter(|&place| rows[place].kind == Kind::Columns).collect();
        let spoil = |change: fn(&mut Row)| {
            let mut rows = rows.clone();
            change(&mut rows[of_columns[3]]);
            verify(&header, &rows).unwrap_err()
        };
        assert!(spoil(|row| row.count += 1).contains("the jobs sum to"));
        assert!(spoil(|row| row.weight ^= 6).contains("weight"));
        assert!(spoil(|row| row.columns[0] ^= 1).contains("columns"));
        assert!(spoil(|row| row.columns.clear()).contains("columns"));
    }
}

#[test]
fn every_way_to_be_wrong_is_found() {
    let (header, rows) = right(8, Goal::Count);
    type Change = fn(&mut Header, &mut Vec<Row>);
    let changes: [(&str, Change); 12] = [
        ("a missing job", |_, rows| drop(rows.remove(5))),
        ("the last job missing", |_, rows| drop(rows.pop())),
        ("a job twice", |_, rows| rows.insert(6, rows[5].clone())),
        ("one job too many", |_, rows| rows.push(rows[5].clone())),
        ("two jobs the wrong way round", |_, rows| rows.swap(5, 6)),
        ("a wrong weight", |_, rows| rows[7].weight ^= 1),
        ("a wrong queen", |_, rows| rows[7].queens[0].column ^= 1),
        ("a wrong kind", |_, rows| rows[0].kind = Kind::QuarterTurn),
        ("a wrong count", |_, rows| rows[9].count += 1),
        ("a wrong total", |header, _| header.answer.as_mut().unwrap().total += 8),
        ("no answer", |header, _| header.answer = None),
        ("other parts", |header, _| header.parts.truncate(1)),
    ];
    for (what, change) in changes {
        let (mut header, mut rows) = (header.clone(), rows.clone());
        change(&mut header, &mut rows);
        assert!(verify(&header, &rows).is_err(), "{what}");
    }
}

/// Two mistakes that cancel out in the sum are found by the second computation.
#[test]
fn mistakes_that_cancel_out_are_found_by_the_sample() {
    let (header, mut rows) = right(8, Goal::Boards);
    let full: Vec<usize> = (0..rows.len()).filter(|&place| rows[place].count > 0).take(2).collect();
    rows[full[0]].count -= 1;
    rows[full[1]].count += 1;
    assert!(verify(&header, &rows).unwrap_err().contains("computed again"));
}
