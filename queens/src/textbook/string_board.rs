//! A board of characters, scanned before each placement: the column above and both diagonals above the square.

use super::EachBoard;
use crate::size::Size;

/// Shows every board to `each`, in ascending order.
pub fn boards(size: Size, each: EachBoard<'_>) {
    let n = size.index();
    let mut board = vec![".".repeat(n).into_bytes(); n];
    place(&mut board, 0, each);
}

fn place(board: &mut [Vec<u8>], row: usize, each: EachBoard<'_>) {
    if row == board.len() {
        return each(&columns(board));
    }
    for column in 0..board.len() {
        if is_safe(board, row, column) {
            board[row][column] = b'Q';
            place(board, row + 1, each);
            board[row][column] = b'.';
        }
    }
}

fn is_safe(board: &[Vec<u8>], row: usize, column: usize) -> bool {
    let n = board.len();
    let above = (0..row).rev();
    let straight = above.clone().map(|r| (r, column));
    let left = above.clone().zip((0..column).rev());
    let right = above.zip(column + 1..n);
    straight.chain(left).chain(right).all(|(r, c)| board[r][c] != b'Q')
}

fn columns(board: &[Vec<u8>]) -> Vec<u8> {
    let queen = |row: &Vec<u8>| row.iter().position(|&square| square == b'Q');
    board.iter().filter_map(queen).map(|column| column as u8).collect()
}
