//! Seeded random positions: some at random, some cut out of a solution, so that there is something to count.

use queens::{Position, Size, Square};

/// A source of random numbers: SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`.
    fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    /// Returns the numbers below `bound` in random order.
    fn shuffled(&mut self, bound: u32) -> Vec<u8> {
        let mut numbers: Vec<u8> = (0..bound as u8).collect();
        for last in (1..numbers.len()).rev() {
            numbers.swap(last, self.below(last as u32 + 1) as usize);
        }
        numbers
    }

    /// Returns a position with few enough free rows for plain recursion to count it soon: the whole board of a small
    /// size, up to 15 rows of size 32.
    pub(crate) fn position(&mut self, size: Size) -> Position {
        let most = if size.get() <= 8 { size.get() } else { 7 + size.get() / 4 };
        let free_rows = self.below(most + 1);
        let rows = self.shuffled(size.get());
        let fixed = &rows[free_rows as usize..];
        match self.below(3) {
            0 => self.scattered(size, fixed),
            _ => self.extended(size, &rows, fixed),
        }
    }

    /// Puts a queen on any free square of each of these rows. Rows without one are left free, if there are few of them.
    fn scattered(&mut self, size: Size, rows: &[u8]) -> Position {
        let mut position = Position::empty(size);
        for &row in rows {
            position = self.place(position, row).unwrap_or(position);
        }
        if position.free_rows().count_ones() > 16 { self.scattered(size, rows) } else { position }
    }

    /// Looks for a solution, giving up soon, and keeps its queens in these rows.
    fn extended(&mut self, size: Size, order: &[u8], fixed: &[u8]) -> Position {
        for _ in 0..50 {
            if let Some(queens) = self.solution(size, order) {
                let kept = queens.into_iter().filter(|queen| fixed.contains(&queen.row));
                return Position::with_queens(size, kept).unwrap();
            }
        }
        self.scattered(size, fixed)
    }

    /// Fills the row with the fewest free squares, again and again.
    fn solution(&mut self, size: Size, order: &[u8]) -> Option<Vec<Square>> {
        let mut position = Position::empty(size);
        let mut queens = Vec::new();
        while position.free_rows() != 0 {
            let free = order.iter().filter(|&&row| position.free_rows() >> row & 1 == 1);
            let row = *free.min_by_key(|&&row| position.free(row.into()).count_ones())?;
            let square = self.free_square(position, row)?;
            position = position.place(square).unwrap();
            queens.push(square);
        }
        Some(queens)
    }

    fn place(&mut self, position: Position, row: u8) -> Option<Position> {
        let square = self.free_square(position, row)?;
        Some(position.place(square).unwrap())
    }

    fn free_square(&mut self, position: Position, row: u8) -> Option<Square> {
        let columns = self.shuffled(position.size().get());
        columns.into_iter().map(|column| Square::new(row, column)).find(|&square| position.is_free(square))
    }
}
