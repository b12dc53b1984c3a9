//! Boards that turns leave unchanged, and U(n), against brute force and the published values.

use std::collections::BTreeSet;

use queens::{
    Board, Size,
    enumerate::{Boards, Order},
    known,
    symmetry::Symmetry,
    turns::{self, Turn},
};

fn size(n: u32) -> Size {
    Size::new(n.into()).unwrap()
}

fn boards(n: u32) -> Vec<Board> {
    let mut columns = Vec::new();
    Boards::under(size(n), &[], Order::Ascending).unwrap().append_to(&mut columns, usize::MAX);
    columns.chunks_exact(n as usize).map(|board| Board::new(size(n), board).unwrap()).collect()
}

#[test]
fn the_numbers_of_unchanged_boards_are_those_of_brute_force() {
    for n in 1..=11 {
        let boards = boards(n);
        for (turn, symmetry) in [(Turn::Half, Symmetry::HALF_TURN), (Turn::Quarter, Symmetry::QUARTER_TURN)] {
            let unchanged = boards.iter().filter(|board| symmetry.board(board) == **board).count();
            assert_eq!(turns::count(size(n), turn), unchanged as u64, "n = {n}, {turn:?}");
        }
    }
}

#[test]
fn burnside_gives_the_number_of_classes() {
    for n in 1..=9 {
        let least = |board: &Board| Symmetry::ALL.map(|symmetry| symmetry.board(board)).into_iter().min();
        let classes: BTreeSet<_> = boards(n).iter().map(least).collect();
        assert_eq!(Some(classes.len() as u64), known::fundamental(size(n)), "n = {n}");
    }
}

#[test]
fn totals_and_turns_give_the_published_numbers_of_fundamental_solutions() {
    for n in 1..=20 {
        let [half, quarter] = [Turn::Half, Turn::Quarter].map(|turn| turns::count(size(n), turn).into());
        let total = known::total(size(n)).unwrap().into();
        let fundamental = turns::fundamental(size(n), total, half, quarter);
        assert_eq!(fundamental, known::fundamental(size(n)).map(u128::from), "n = {n}");
    }
}

#[test]
fn the_published_values_satisfy_burnside_to_24() {
    let size = size(24);
    // Known from U(24) and Q(24) alone: 8 U - Q.
    let unchanged = turns::count(size, Turn::Half) + 2 * turns::count(size, Turn::Quarter);
    assert_eq!(unchanged, 11_681_736);
    assert_eq!(8 * known::fundamental(size).unwrap() - known::total(size).unwrap(), unchanged);
}

#[test]
fn numbers_that_cannot_belong_together_are_refused() {
    assert_eq!(turns::fundamental(size(8), 92, 4, 0), Some(12));
    assert_eq!(turns::fundamental(size(8), 91, 4, 0), None);
    assert_eq!(turns::fundamental(size(8), 4, 92, 0), None);
    assert_eq!(turns::fundamental(size(8), 92, 0, 2), None);
    assert_eq!(turns::fundamental(size(2), 0, 0, 0), Some(0));
    assert_eq!(turns::fundamental(size(1), 1, 1, 1), Some(1));
    assert_eq!(turns::fundamental(size(1), 4, 4, 0), None);
    assert_eq!(turns::fundamental(size(8), u128::MAX, u128::MAX, u128::MAX), None);
}

#[test]
fn a_count_can_be_broken_off() {
    let size = Size::new(12).unwrap();
    for turn in [Turn::Half, Turn::Quarter] {
        assert_eq!(turns::count_while(size, turn, &mut || false), None);
        assert_eq!(turns::count_while(size, turn, &mut || true), Some(turns::count(size, turn)));
    }
}
