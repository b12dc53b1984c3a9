//! The central-cross presets, one for each class under the 8 symmetries: the roots of plans that only count.
//!
//! A queen in the middle attacks more squares than one at the border, so a cross that is full leaves the smallest trees:
//! 9.35 queens placed for a solution (n = 16) against 77 without presets and 23 with presets at the border.
//!
//! The search fills the central rows and then the central columns, and gives up as soon as the first line shows that
//! an image of the preset will be less. What is left is checked against all 8 images.

use super::preset::{Cross, Preset};
use crate::{
    position::{Position, Square, bits},
    size::Size,
};

/// The presets of a board, in increasing order of their codes.
#[derive(Debug)]
pub(super) struct Presets {
    cross: Cross,
    presets: Vec<Preset>,
}

impl Presets {
    /// Returns the presets of a board.
    pub(super) fn new(size: Size) -> Self {
        Self::of(Cross::new(size))
    }

    fn of(cross: Cross) -> Self {
        let mut search = Search { cross, found: Vec::new() };
        search.fill_rows(0, Position::empty(cross.size()), Preset::EMPTY);
        search.found.shrink_to_fit();
        Self { cross, presets: search.found }
    }

    /// Returns the greatest number of rows that a preset can leave free.
    pub(super) fn most_free_rows(size: Size) -> u32 {
        size.get() - Cross::new(size).rows().len() as u32
    }

    /// Returns the number of presets.
    pub(super) fn len(&self) -> usize {
        self.presets.len()
    }

    /// Returns the queens of the preset at `root`: central rows first, then central columns.
    pub(super) fn queens(&self, root: usize) -> Vec<Square> {
        self.cross.queens(self.presets[root]).collect()
    }

    /// Returns the position of the preset at `root`.
    pub(super) fn position(&self, root: usize) -> Position {
        self.cross.position(self.presets[root])
    }

    /// Returns the number of presets that the one at `root` stands for.
    pub(super) fn weight(&self, root: usize) -> u32 {
        self.cross.class_if_least(self.presets[root]).expect("a preset that was kept")
    }
}

struct Search {
    cross: Cross,
    found: Vec<Preset>,
}

impl Search {
    fn fill_rows(&mut self, filled: usize, position: Position, preset: Preset) {
        let Some(&line) = self.cross.rows().get(filled) else {
            return self.fill_columns(0, position.transposed(), preset);
        };
        for column in bits(position.free(line.place) & self.row_window(filled, preset)) {
            let position = position.with_queen(line.place, column);
            self.fill_rows(filled + 1, position, preset.with_row(line, column));
        }
    }

    /// Goes on with the columns, which are the rows of the transposed position.
    fn fill_columns(&mut self, filled: usize, position: Position, preset: Preset) {
        let Some(&line) = self.cross.rows().get(filled) else {
            return self.keep_if_least(preset);
        };
        if let Some(row) = self.cross.rows().iter().find(|&&row| preset.in_row(row) == line.place) {
            return self.fill_columns(filled + 1, position, preset.with_column(line, row.place));
        }
        for row in bits(position.free(line.place) & self.column_window(filled, preset)) {
            let position = position.with_queen(line.place, row);
            self.fill_columns(filled + 1, position, preset.with_column(line, row));
        }
    }

    fn keep_if_least(&mut self, preset: Preset) {
        if self.cross.class_if_least(preset).is_some() {
            self.found.push(preset);
        }
    }

    /// Returns the columns in which a queen of the central row leaves the code possibly the least of the 8: the first
    /// row's in the left half; if n is odd, the lower row's to the right of the upper row's, since changing top and
    /// bottom leaves the middle row as it is.
    fn row_window(&self, filled: usize, preset: Preset) -> u32 {
        let n = self.cross.size().get();
        match filled {
            0 => u32::MAX >> (32 - n.div_ceil(2)),
            2 => !(u32::MAX >> (31 - preset.in_row(self.cross.rows()[1]))),
            _ => self.column_window(filled, preset),
        }
    }

    /// Returns the same for a central column: a line that some symmetry brings to the first row's place has its queen no
    /// nearer to the border than the first row.
    fn column_window(&self, filled: usize, preset: Preset) -> u32 {
        let n = self.cross.size().get();
        let first = self.cross.rows()[0];
        let same_orbit = filled == 0 || n.is_multiple_of(2);
        let border = if same_orbit { preset.in_row(first) } else { 0 };
        self.cross.size().full_row() >> border & u32::MAX << border
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{kernel::scalar, known, symmetry::Symmetry};

    fn images(size: Size, queens: &[Square]) -> Vec<Vec<Square>> {
        let image = |symmetry: Symmetry| {
            let mut squares: Vec<_> = queens.iter().map(|&queen| symmetry.square(size, queen)).collect();
            squares.sort_unstable();
            squares
        };
        let mut images = Symmetry::ALL.map(image).to_vec();
        images.sort_unstable();
        images.dedup();
        images
    }

    /// A cross of each kind for every small board, also those that the board would not get.
    fn crosses() -> impl Iterator<Item = Cross> {
        let sizes = Size::all().take(11);
        sizes.flat_map(|size| {
            let three = (size.get() % 2 == 1 && size.get() > 1).then(|| Cross::of_three(size));
            [Some(Cross::new(size)), three].into_iter().flatten()
        })
    }

    #[test]
    fn no_two_presets_are_images_of_each_other_and_weights_count_the_images() {
        for cross in crosses() {
            let presets = Presets::of(cross);
            let mut classes = std::collections::BTreeSet::new();
            for root in 0..presets.len() {
                let images = images(cross.size(), &presets.queens(root));
                assert_eq!(images.len() as u32, presets.weight(root), "{cross:?}");
                assert!(classes.insert(images[0].clone()), "{cross:?} {root}");
            }
        }
    }

    #[test]
    fn weighted_completions_sum_to_the_published_totals() {
        for cross in crosses() {
            let presets = Presets::of(cross);
            let boards = |root| u64::from(presets.weight(root)) * scalar::count(&presets.position(root));
            let sum: u64 = (0..presets.len()).map(boards).sum();
            assert_eq!(Some(sum), known::total(cross.size()), "{cross:?}");
        }
    }

    #[test]
    fn the_queens_of_a_preset_fill_the_central_lines_and_stand_near_the_top() {
        for cross in crosses() {
            let (presets, size) = (Presets::of(cross), cross.size());
            let sum = |queens: &[Square]| queens.iter().map(|queen| u32::from(queen.row).pow(2)).sum::<u32>();
            for root in 0..presets.len() {
                let position = Position::with_queens(size, presets.queens(root)).unwrap();
                assert_eq!(position, presets.position(root));
                let central = cross.rows().iter().fold(0, |lines, line| lines | 1 << line.place);
                assert_eq!((position.rows() & central, position.columns() & central), (central, central));
                let queens = presets.queens(root);
                assert!(images(size, &queens).iter().all(|image| sum(&queens) <= sum(image)));
            }
        }
    }

    #[test]
    fn the_largest_published_board_has_the_known_number_of_presets() {
        assert_eq!(Presets::new(Size::new(27).unwrap()).len(), 5_372_687);
    }
}
