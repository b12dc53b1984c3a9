//! Boards: every algorithm, order, cut and format gives the same ones.

use std::fmt::Write as _;

use proptest::prelude::*;
use queens::{
    Board, Size,
    enumerate::{Boards, Order},
    format::{BoardWriter, Format},
    known,
    position::CannotPlace,
    textbook::{self, Run},
};

fn size(n: usize) -> Size {
    Size::new(n as u64).unwrap()
}

/// Pauls' construction of 1874 for n = 2 modulo 6.
fn board_of_32() -> Vec<u8> {
    let odd = (0..16).map(|row| 2 * row + 1);
    let even = [2, 0].into_iter().chain((3..16).map(|row| 2 * row)).chain([4]);
    odd.chain(even).collect()
}

fn fast(n: usize, prefix: &[u8], order: Order) -> Vec<Vec<u8>> {
    let mut columns = Vec::new();
    let found = Boards::under(size(n), prefix, order).unwrap().append_to(&mut columns, usize::MAX);
    let boards: Vec<_> = columns.chunks_exact(n).map(<[u8]>::to_vec).collect();
    assert_eq!((found, columns.len()), (boards.len(), found * n));
    boards
}

fn textbook(n: usize, boards: fn(Size, textbook::EachBoard<'_>)) -> Vec<Vec<u8>> {
    let mut list = Vec::new();
    boards(size(n), &mut |board| list.push(board.to_vec()));
    list
}

/// Every format again, as one would write it down at first.
fn naive_text(format: Format, n: usize, boards: &[Vec<u8>], first_index: u64) -> String {
    let line = |column: u8, empty: &str| -> String {
        (0..n as u8).map(|c| if c == column { "Q" } else { empty }).collect()
    };
    let mut text = String::new();
    let mut all = Vec::new();
    for (index, board) in (first_index..).zip(boards) {
        let rows: Vec<_> = board.iter().map(|&column| line(column, ".")).collect();
        match format {
            Format::Leetcode => all.push(format!("[\"{}\"]", rows.join("\",\""))),
            Format::Text => text += &(rows.join("\n") + "\n\n"),
            Format::Numbered => {
                writeln!(text, "**************{} solution is :", index + 1).unwrap();
                board.iter().for_each(|&column| text += &(line(column, "* ") + "\n"));
            }
            Format::Columns => {
                let columns: Vec<_> = board.iter().map(|column| (column + 1).to_string()).collect();
                text += &(columns.join(" ") + "\n");
            }
            Format::Ndjson => {
                let columns: Vec<_> = board.iter().map(u8::to_string).collect();
                writeln!(text, "{{\"index\":\"{index}\",\"columns\":[{}]}}", columns.join(",")).unwrap();
            }
            Format::Fen => text += &(rows.iter().map(|row| fen(row)).collect::<Vec<_>>().join("/") + "\n"),
        }
    }
    if format == Format::Leetcode { format!("[{}]\n", all.join(",")) } else { text }
}

fn fen(row: &str) -> String {
    let run = |squares: &str| if squares.is_empty() { String::new() } else { squares.len().to_string() };
    let (left, right) = row.split_once('Q').unwrap();
    run(left) + "Q" + &run(right)
}

fn written(format: Format, n: usize, boards: &[Vec<u8>], first_index: u64, chunk: usize) -> String {
    let mut writer = BoardWriter::new(format, size(n), first_index);
    let mut text = Vec::new();
    writer.begin(&mut text);
    boards.chunks(chunk).for_each(|chunk| writer.boards(&chunk.concat(), &mut text));
    writer.end(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn every_textbook_algorithm_gives_the_same_boards_in_its_order() {
    for n in 1..=9 {
        for algorithm in textbook::ALL {
            let name = algorithm.name;
            match algorithm.run {
                Run::Boards(order, boards) => {
                    assert_eq!(textbook(n, boards), fast(n, &[], order), "{name}, {n}")
                }
                Run::Count(count) => assert_eq!(count(size(n)), fast(n, &[], Order::Ascending).len() as u64),
            }
        }
    }
}

#[test]
fn every_format_is_what_the_textbook_boards_written_naively_are() {
    for n in 1..=9 {
        for algorithm in textbook::ALL {
            let Run::Boards(order, boards) = algorithm.run else { continue };
            let boards = textbook(n, boards);
            for format in Format::ALL {
                let text = written(format, n, &fast(n, &[], order), 0, 7);
                assert_eq!(text, naive_text(format, n, &boards, 0), "{format}, {n}");
            }
        }
    }
}

#[test]
fn the_formats_of_the_first_board_of_four() {
    let expected = [
        (Format::Leetcode, "[[\".Q..\",\"...Q\",\"Q...\",\"..Q.\"]]\n"),
        (Format::Text, ".Q..\n...Q\nQ...\n..Q.\n\n"),
        (Format::Numbered, "**************1 solution is :\n* Q* * \n* * * Q\nQ* * * \n* * Q* \n"),
        (Format::Columns, "2 4 1 3\n"),
        (Format::Ndjson, "{\"index\":\"0\",\"columns\":[1,3,0,2]}\n"),
        (Format::Fen, "1Q2/3Q/Q3/2Q1\n"),
    ];
    for (format, text) in expected {
        assert_eq!(written(format, 4, &[vec![1, 3, 0, 2]], 0, 1), text);
        assert_eq!(format.name().parse(), Ok(format));
    }
    assert_eq!(written(Format::Leetcode, 3, &[], 0, 1), "[]\n");
    assert!("Leetcode".parse::<Format>().is_err() && "".parse::<Format>().is_err());
}

#[test]
fn large_boards_and_indices_are_written_in_full() {
    let board = board_of_32();
    Board::new(size(32), &board).unwrap();
    let boards = [board.clone(), board];
    for format in Format::ALL {
        let first_index = u64::from(u32::MAX);
        let text = written(format, 32, &boards, first_index, 1);
        assert_eq!(text, naive_text(format, 32, &boards, first_index), "{format}");
    }
}

#[test]
fn the_numbers_of_boards_are_the_published_ones() {
    for n in 1..=12 {
        for order in [Order::Ascending, Order::Descending] {
            let found = Boards::under(size(n), &[], order).unwrap().skip_boards(u64::MAX);
            assert_eq!(Some(found), known::total(size(n)), "n = {n}, {order:?}");
        }
    }
}

#[test]
fn descending_is_ascending_reversed() {
    for n in 1..=10 {
        let mut boards = fast(n, &[], Order::Descending);
        boards.reverse();
        assert_eq!(boards, fast(n, &[], Order::Ascending));
        assert!(boards.is_sorted());
        assert!(boards.iter().all(|board| Board::new(size(n), board).is_ok()));
    }
}

#[test]
fn a_full_prefix_is_one_board() {
    for n in [1, 4, 9, 10] {
        for board in fast(n, &[], Order::Ascending) {
            for order in [Order::Ascending, Order::Descending] {
                for rows in [n - 1, n] {
                    assert_eq!(fast(n, &board[..rows], order), std::slice::from_ref(&board));
                }
            }
        }
    }
}

#[test]
fn prefixes_that_attack_themselves_are_refused() {
    let under = |prefix: &[u8]| Boards::under(size(6), prefix, Order::Ascending).map(|_| ());
    assert!(matches!(under(&[0, 1]), Err(CannotPlace::Attacked(_))));
    assert!(matches!(under(&[6]), Err(CannotPlace::OffTheBoard(_))));
    assert!(matches!(under(&[1, 3, 5, 0, 2, 0]), Err(CannotPlace::Attacked(_))));
    assert_eq!(under(&[1, 3, 5, 0, 2, 4]), Ok(()));
}

#[test]
fn boards_of_the_largest_size_come_out_of_the_middle_of_the_tree() {
    let prefix = &board_of_32()[..20];
    for order in [Order::Ascending, Order::Descending] {
        let boards = fast(32, prefix, order);
        assert!(!boards.is_empty());
        assert!(boards.iter().all(|board| board.starts_with(prefix) && Board::new(size(32), board).is_ok()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_prefix_gives_the_boards_that_begin_with_it(n in 5_usize..=10, pick in any::<prop::sample::Index>(), rows in 0_usize..=10) {
        let all = fast(n, &[], Order::Ascending);
        let prefix = &pick.get(&all)[..rows.min(n)];
        let expected: Vec<_> = all.iter().filter(|board| board.starts_with(prefix)).cloned().collect();
        prop_assert_eq!(fast(n, prefix, Order::Ascending), expected.clone());
        let descending: Vec<_> = expected.into_iter().rev().collect();
        prop_assert_eq!(fast(n, prefix, Order::Descending), descending);
    }

    #[test]
    fn cuts_do_not_change_the_boards(
        n in 8_usize..=11,
        cuts in prop::collection::vec((any::<bool>(), 0_usize..700), 0..12),
        descending in any::<bool>(),
    ) {
        let order = if descending { Order::Descending } else { Order::Ascending };
        let all = fast(n, &[], order);
        let mut boards = Boards::under(size(n), &[], order).unwrap();
        let mut at = 0;
        for (skip, most) in cuts.into_iter().chain([(false, usize::MAX)]) {
            let expected = most.min(all.len() - at);
            if skip {
                prop_assert_eq!(boards.skip_boards(most as u64), expected as u64);
            } else {
                let mut columns = vec![99];
                prop_assert_eq!(boards.append_to(&mut columns, most), expected);
                prop_assert_eq!(&columns[1..], all[at..at + expected].concat());
            }
            at += expected;
        }
        prop_assert_eq!(boards.append_to(&mut Vec::new(), 1), 0);
        prop_assert_eq!(boards.skip_boards(1), 0);
    }
}
