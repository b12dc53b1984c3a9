//! What a listing should be: the boards of the textbook algorithms, written in the plainest way.

use queens::{
    Size,
    enumerate::Order,
    textbook::{self, Run},
};

/// Boards, each with the 0-based column of each row.
pub(crate) type Boards = Vec<Vec<u8>>;

/// Returns what each textbook algorithm that lists boards gives, with its name, in the order asked for.
pub(crate) fn listings(n: u64, order: Order) -> Vec<(&'static str, Boards)> {
    let size = Size::new(n).expect("a size");
    let mut listings = Vec::new();
    for algorithm in textbook::ALL {
        if let Run::Boards(natural, list) = algorithm.run {
            let mut boards = Boards::new();
            list(size, &mut |board| boards.push(board.to_vec()));
            if natural != order {
                boards.reverse();
            }
            listings.push((algorithm.name, boards));
        }
    }
    listings
}

/// Returns the boards of size n in ascending order.
pub(crate) fn boards(n: u64) -> Boards {
    listings(n, Order::Ascending).swap_remove(0).1
}

/// Returns boards as text; the first has this index.
pub(crate) fn format(format: &str, boards: &[Vec<u8>], first: usize) -> String {
    let numbered = (first..).zip(boards);
    match format {
        "leetcode" => {
            let boards: Vec<_> = boards.iter().map(|board| format!("[{}]", quoted_rows(board))).collect();
            format!("[{}]\n", boards.join(","))
        }
        "text" => boards.iter().map(|board| rows(board, ".", "Q").join("\n") + "\n\n").collect(),
        "numbered" => numbered
            .map(|(index, board)| {
                format!("**************{} solution is :\n{}\n", index + 1, rows(board, "* ", "Q").join("\n"))
            })
            .collect(),
        "columns" => {
            boards.iter().map(|board| join(board.iter().map(|column| column + 1), " ") + "\n").collect()
        }
        "ndjson" => numbered
            .map(|(index, board)| {
                format!("{{\"index\":\"{index}\",\"columns\":[{}]}}\n", join(board.iter().copied(), ","))
            })
            .collect(),
        "fen" => boards.iter().map(|board| fen(board) + "\n").collect(),
        other => panic!("no format {other}"),
    }
}

fn rows(board: &[u8], empty: &str, queen: &str) -> Vec<String> {
    let squares =
        |column: u8| (0..board.len()).map(move |c| if c == usize::from(column) { queen } else { empty });
    board.iter().map(|&column| squares(column).collect()).collect()
}

fn quoted_rows(board: &[u8]) -> String {
    let rows: Vec<_> = rows(board, ".", "Q").iter().map(|row| format!("\"{row}\"")).collect();
    rows.join(",")
}

fn fen(board: &[u8]) -> String {
    let run = |length: usize| if length == 0 { String::new() } else { length.to_string() };
    let row = |&column: &u8| {
        let column = usize::from(column);
        format!("{}Q{}", run(column), run(board.len() - 1 - column))
    };
    board.iter().map(row).collect::<Vec<_>>().join("/")
}

fn join(numbers: impl Iterator<Item = u8>, between: &str) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(between)
}
