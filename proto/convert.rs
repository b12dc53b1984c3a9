//! The one bridge between the messages of the wire and the words of [`queens`].
//!
//! What comes in may be anything, so each way in is fallible and says in one sentence what was wrong with the message.
//! Each way out is total. A square travels as `row * n + column`; everything that holds squares is therefore
//! converted for a given board size.

use queens::{
    Size, Square,
    columns::{ColumnSet, NotAColumnSet},
    enumerate::Order,
    position::CannotPlace,
    size::SizeOutOfRange,
    split::{Job, Kind, Work},
    turns::Turn,
};

use crate::v1;

/// Why a message was refused. Its text is a sentence for whoever sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The board size is out of range.
    #[error(transparent)]
    Size(#[from] SizeOutOfRange),
    /// A queen stands where none can stand.
    #[error(transparent)]
    Queen(#[from] CannotPlace),
    /// Columns that are no job of a columns plan.
    #[error(transparent)]
    ColumnSet(#[from] NotAColumnSet),
    /// A square has a number that the board does not have.
    #[error("square {square} is not on a board of {squares} squares; they are counted from 0")]
    NoSuchSquare {
        /// The number given.
        square: u32,
        /// The number of squares, n x n.
        squares: u32,
    },
    /// A prefix has more queens than the board has rows.
    #[error("a prefix of {queens} queens does not fit a board of {n} rows")]
    TooManyQueens {
        /// The number of queens given.
        queens: usize,
        /// The number of rows.
        n: u32,
    },
    /// The prefix of a listing must fill the first rows from the top, one queen in each.
    #[error("the prefix of a listing must have one queen in each of the first rows, from the top down")]
    NotFirstRows,
    /// A field that must be set is not set, or has a value of a later version of the protocol.
    #[error("{0} must be set to a value that this version of the program knows")]
    Unset(&'static str),
}

impl v1::Prefix {
    /// Returns the prefix of these queens, which must be on the board.
    pub fn of(size: Size, queens: &[Square]) -> Self {
        let number = |square: &Square| u32::from(square.row) * size.get() + u32::from(square.column);
        Self { squares: queens.iter().map(number).collect() }
    }

    /// Returns the prefix that has a queen in each of the first rows, in these columns.
    pub fn of_first_rows(size: Size, columns: &[u8]) -> Self {
        let queens: Vec<_> = (0..).zip(columns).map(|(row, &column)| Square::new(row, column)).collect();
        Self::of(size, &queens)
    }

    /// Returns the squares of the queens on a board of `size`, at most n of them, each on the board. Whether they attack
    /// each other is not looked at.
    pub fn squares_on(&self, size: Size) -> Result<Vec<Square>, Invalid> {
        if self.squares.len() > size.index() {
            return Err(Invalid::TooManyQueens { queens: self.squares.len(), n: size.get() });
        }
        self.squares.iter().map(|&square| square_on(size, square)).collect()
    }

    /// Returns the columns of the queens of the first rows, or an error if the prefix is anything else than one queen
    /// in each of them, in order.
    pub fn first_rows_on(&self, size: Size) -> Result<Vec<u8>, Invalid> {
        let column = |(row, square): (u8, Square)| (square.row == row).then_some(square.column);
        let squares = self.squares_on(size)?;
        (0..).zip(squares).map(column).collect::<Option<_>>().ok_or(Invalid::NotFirstRows)
    }
}

fn square_on(size: Size, square: u32) -> Result<Square, Invalid> {
    let n = size.get();
    if square >= n * n {
        return Err(Invalid::NoSuchSquare { square, squares: n * n });
    }
    // Both are below n, so at most 31.
    Ok(Square::new((square / n) as u8, (square % n) as u8))
}

impl From<ColumnSet> for v1::ColumnSet {
    fn from(set: ColumnSet) -> Self {
        let columns = 0..set.size().get();
        Self { columns: columns.filter(|column| set.columns() >> column & 1 == 1).collect() }
    }
}

impl v1::ColumnSet {
    /// Returns the job of a columns plan for a board of `size`, or an error if there is none with these columns, each named
    /// once.
    pub fn on(&self, size: Size) -> Result<ColumnSet, Invalid> {
        let no_set = Invalid::ColumnSet(NotAColumnSet::Columns(size));
        let mut columns = 0_u32;
        for &column in &self.columns {
            let column = 1_u32.checked_shl(column).ok_or(no_set)?;
            if columns & column != 0 {
                return Err(no_set);
            }
            columns |= column;
        }
        Ok(ColumnSet::new(size, columns)?)
    }
}

impl v1::Job {
    /// Returns the message that lends `job`, of a plan for a board of `size`, or its audit.
    pub fn of(size: Size, job: &Job, audit: bool) -> Self {
        Self { index: job.index, work: Some(v1::job::Work::of(size, &job.work)), audit }
    }

    /// Returns what the job has to compute, on a board of `size`.
    pub fn work_on(&self, size: Size) -> Result<Work, Invalid> {
        match &self.work {
            Some(v1::job::Work::Complete(prefix)) => Ok(Work::Complete(prefix.squares_on(size)?)),
            Some(v1::job::Work::Turn(turn)) => {
                let turn = v1::Turn::try_from(*turn).unwrap_or_default();
                Ok(Work::Turn(turn.try_into()?))
            }
            Some(v1::job::Work::ColumnSet(set)) => Ok(Work::Columns(set.on(size)?)),
            None => Err(Invalid::Unset("the work of a job")),
        }
    }
}

impl v1::job::Work {
    /// Returns the message for `work` on a board of `size`.
    pub fn of(size: Size, work: &Work) -> Self {
        match work {
            Work::Complete(queens) => Self::Complete(v1::Prefix::of(size, queens)),
            Work::Turn(turn) => Self::Turn(v1::Turn::from(*turn).into()),
            Work::Columns(set) => Self::ColumnSet((*set).into()),
        }
    }
}

impl From<Turn> for v1::Turn {
    fn from(turn: Turn) -> Self {
        match turn {
            Turn::Half => Self::Half,
            Turn::Quarter => Self::Quarter,
        }
    }
}

impl TryFrom<v1::Turn> for Turn {
    type Error = Invalid;

    fn try_from(turn: v1::Turn) -> Result<Self, Invalid> {
        match turn {
            v1::Turn::Half => Ok(Self::Half),
            v1::Turn::Quarter => Ok(Self::Quarter),
            v1::Turn::Unspecified => Err(Invalid::Unset("the turn")),
        }
    }
}

impl From<Order> for v1::Order {
    fn from(order: Order) -> Self {
        match order {
            Order::Ascending => Self::Ascending,
            Order::Descending => Self::Descending,
        }
    }
}

impl TryFrom<v1::Order> for Order {
    type Error = Invalid;

    fn try_from(order: v1::Order) -> Result<Self, Invalid> {
        match order {
            v1::Order::Ascending => Ok(Self::Ascending),
            v1::Order::Descending => Ok(Self::Descending),
            v1::Order::Unspecified => Err(Invalid::Unset("the order")),
        }
    }
}

impl From<Kind> for v1::PlanKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Cross => Self::Cross,
            Kind::Rows => Self::Rows,
            Kind::HalfTurn => Self::HalfTurn,
            Kind::QuarterTurn => Self::QuarterTurn,
            Kind::Columns => Self::Columns,
        }
    }
}

impl TryFrom<v1::PlanKind> for Kind {
    type Error = Invalid;

    fn try_from(kind: v1::PlanKind) -> Result<Self, Invalid> {
        match kind {
            v1::PlanKind::Cross => Ok(Self::Cross),
            v1::PlanKind::Rows => Ok(Self::Rows),
            v1::PlanKind::HalfTurn => Ok(Self::HalfTurn),
            v1::PlanKind::QuarterTurn => Ok(Self::QuarterTurn),
            v1::PlanKind::Columns => Ok(Self::Columns),
            v1::PlanKind::Unspecified => Err(Invalid::Unset("the kind of the plan")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(n: u64) -> Size {
        Size::new(n).unwrap()
    }

    #[test]
    fn every_square_of_every_board_goes_there_and_back() {
        for size in Size::all() {
            let n = size.get() as u8;
            for square in (0..n).flat_map(|row| (0..n).map(move |column| Square::new(row, column))) {
                let prefix = v1::Prefix::of(size, &[square]);
                assert_eq!(prefix.squares_on(size), Ok(vec![square]));
            }
        }
    }

    #[test]
    fn squares_that_the_board_does_not_have_are_refused() {
        for square in [64, 65, u32::MAX] {
            let prefix = v1::Prefix { squares: vec![0, square] };
            assert_eq!(prefix.squares_on(size(8)), Err(Invalid::NoSuchSquare { square, squares: 64 }));
        }
        let crowd = v1::Prefix { squares: vec![0; 9] };
        assert_eq!(crowd.squares_on(size(8)), Err(Invalid::TooManyQueens { queens: 9, n: 8 }));
    }

    #[test]
    fn a_listing_starts_with_the_first_rows() {
        let n = size(6);
        for columns in [&[][..], &[3], &[1, 3, 5, 0, 2, 4]] {
            assert_eq!(v1::Prefix::of_first_rows(n, columns).first_rows_on(n).unwrap(), columns);
        }
        for squares in [vec![6], vec![0, 1], vec![8, 0], vec![0, 14]] {
            assert_eq!(v1::Prefix { squares }.first_rows_on(n), Err(Invalid::NotFirstRows));
        }
    }

    #[test]
    fn jobs_go_there_and_back() {
        let n = size(12);
        let queens = vec![Square::new(5, 11), Square::new(0, 3)];
        let set = Work::Columns(ColumnSet::new(n, 0b1010_0100_0111).unwrap());
        for work in [Work::Complete(queens), Work::Turn(Turn::Half), Work::Turn(Turn::Quarter), set] {
            let job = Job { index: 7, work, weight: 8 };
            let message = v1::Job::of(n, &job, true);
            assert_eq!((message.index, message.audit, message.work_on(n)), (7, true, Ok(job.work)));
        }
    }

    #[test]
    fn columns_that_are_no_set_are_refused() {
        let on = |n, columns: &[u32]| v1::ColumnSet { columns: columns.to_vec() }.on(size(n));
        assert_eq!(on(8, &[0, 2, 5, 7]).unwrap().columns(), 0b1010_0101);
        for columns in
            [&[][..], &[0, 1, 2], &[0, 1, 2, 8], &[0, 1, 2, 2], &[0, 1, 2, 32], &[0, 1, 2, u32::MAX]]
        {
            assert_eq!(
                on(8, columns),
                Err(Invalid::ColumnSet(NotAColumnSet::Columns(size(8)))),
                "{columns:?}"
            );
        }
        assert!(matches!(on(5, &[0, 1]), Err(Invalid::ColumnSet(NotAColumnSet::Size(_)))));
    }

    #[test]
    fn a_job_without_known_work_is_refused() {
        let job = |work| v1::Job { index: 0, work, audit: false };
        let turn = |turn| job(Some(v1::job::Work::Turn(turn)));
        for job in [job(None), turn(0), turn(99), turn(-1)] {
            assert!(matches!(job.work_on(size(8)), Err(Invalid::Unset(_))), "{job:?}");
        }
    }

    #[test]
    fn orders_and_kinds_go_there_and_back() {
        for order in [Order::Ascending, Order::Descending] {
            assert_eq!(v1::Order::from(order).try_into(), Ok(order));
        }
        for kind in Kind::ALL {
            assert_eq!(v1::PlanKind::from(kind).try_into(), Ok(kind));
        }
        assert!(Order::try_from(v1::Order::Unspecified).is_err());
        assert!(Kind::try_from(v1::PlanKind::Unspecified).is_err());
    }
}
