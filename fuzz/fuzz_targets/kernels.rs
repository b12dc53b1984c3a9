//! Any position, in every kernel, against `scalar`.
//!
//! From this folder's parent, with a nightly compiler (or a stable one and `RUSTC_BOOTSTRAP=1`):
//! `cargo fuzz run kernels -- -max_len=80 -max_total_time=3600`. The first byte of an input is the size, each further
//! pair a square. Squares that cannot take a queen are passed over.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use queens::{
    Position, Size, Square,
    kernel::{Counter, Kernel},
};

thread_local! {
    // The counters go from position to position, as they do in a worker: what one leaves behind must not harm the next.
    static COUNTERS: RefCell<Vec<Counter>> =
        RefCell::new(Kernel::ALL.into_iter().filter_map(|kernel| kernel.counter().ok()).collect());
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, squares)) = bytes.split_first() else { return };
    let size = Size::new(u64::from(first % 32) + 1).expect("1 to 32 is a size");
    let position = within_reach(place(size, squares));
    COUNTERS.with_borrow_mut(|counters| {
        let (scalar, others) = counters.split_first_mut().expect("scalar is always there");
        let expected = scalar.count(&position);
        for counter in others {
            assert_eq!(counter.count(&position), expected, "{} on {position:?}", counter.kernel());
        }
    });
});

fn place(size: Size, squares: &[u8]) -> Position {
    let n = size.get() as u8;
    let squares = squares.chunks_exact(2).map(|pair| Square::new(pair[0] % n, pair[1] % n));
    squares.fold(Position::empty(size), |position, square| position.place(square).unwrap_or(position))
}

/// Fills rows from the bottom up, until so few are free that plain recursion counts them soon.
fn within_reach(mut position: Position) -> Position {
    let n = position.size().get();
    let most = if n <= 8 { n } else { 7 + n / 4 };
    for row in (0..n).rev() {
        if position.free_rows().count_ones() <= most {
            break;
        }
        let column = position.free(row).trailing_zeros();
        position = position.place(Square::new(row as u8, column as u8)).unwrap_or(position);
    }
    position
}
