//! What a coordinator says of a run, as an export.

use nqueens_proto::v1;
use queens::{Size, split::Kind};

use super::record::{Answer, Goal, Header, Part, Row, Symmetric};

impl TryFrom<&v1::Run> for Header {
    type Error = String;

    fn try_from(run: &v1::Run) -> Result<Self, String> {
        let goal = match run.goal() {
            v1::Goal::Count => Goal::Count,
            v1::Goal::Boards => Goal::Boards,
            v1::Goal::Unspecified => return Err("its goal is not known to this program".to_owned()),
        };
        let size = Size::new(run.n.into()).map_err(|error| error.to_string())?;
        let part =
            |part: &v1::PlanPart| Ok(Part { kind: kind(part.kind())?, depth: part.depth, jobs: part.jobs });
        let parts = run.plan.iter().map(part).collect::<Result<_, String>>()?;
        let answer = run.answer.as_ref().map(|told| answer(goal, told)).transpose()?;
        Ok(Self { size, goal, parts, answer })
    }
}

impl Row {
    /// Reads a result of a run on a board of `size`.
    pub(crate) fn of(size: Size, result: &v1::RecordedResult) -> Result<Self, String> {
        let prefix = result.prefix.as_ref();
        let queens = prefix.map_or(Ok(Vec::new()), |prefix| prefix.squares_on(size));
        Ok(Self {
            index: result.index,
            kind: kind(result.kind())?,
            queens: queens.map_err(|error| error.to_string())?,
            columns: result.column_set.as_ref().map(|set| set.columns.clone()).unwrap_or_default(),
            weight: result.weight,
            count: result.count,
            worker: result.worker_id,
        })
    }
}

fn kind(kind: v1::PlanKind) -> Result<Kind, String> {
    Kind::try_from(kind).map_err(|error| error.to_string())
}

fn answer(goal: Goal, told: &v1::Answer) -> Result<Answer, String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{text:?} in its answer is no number"));
    let symmetric = match goal {
        Goal::Boards => None,
        Goal::Count => Some(Symmetric {
            fundamental: number(&told.fundamental)?,
            half_turn: number(&told.half_turn)?,
            quarter_turn: number(&told.quarter_turn)?,
        }),
    };
    Ok(Answer { total: number(&told.total)?, symmetric })
}
