//! `count` and `boards`.

use clap::Args;
use queens::{Size, enumerate::Order, format::Format};

use super::{
    shared::{JsonArgs, PlaceArgs},
    values,
};

#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// Rows to fix below the preset: more rows, more and smaller jobs [default: chosen by the coordinator]
    #[arg(long, env = "NQUEENS_DEPTH", value_name = "ROWS")]
    pub(crate) depth: Option<u32>,
    /// The share of jobs to compute a second time by another worker before the answer is given, such as 1% or 0.01
    #[arg(
        long,
        env = "NQUEENS_AUDIT",
        value_name = "SHARE",
        default_value = "0",
        value_parser = values::share,
        allow_negative_numbers = true
    )]
    pub(crate) audit: f64,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) json: JsonArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BoardsArgs {
    /// The board has N x N squares; 1 to 32
    #[arg(value_name = "N", allow_negative_numbers = true)]
    pub(crate) size: Size,
    /// How to write the boards
    #[arg(long, env = "NQUEENS_FORMAT", default_value = "leetcode", value_parser = values::format_parser())]
    pub(crate) format: Format,
    /// From the first board to the last, or from the last to the first
    #[arg(long, env = "NQUEENS_ORDER", default_value = "ascending", value_parser = values::order_parser())]
    pub(crate) order: Order,
    /// Boards to leave out at the beginning
    #[arg(
        long,
        env = "NQUEENS_OFFSET",
        value_name = "BOARDS",
        default_value = "0",
        value_parser = values::board_count,
        allow_negative_numbers = true
    )]
    pub(crate) offset: u64,
    /// The most boards to list [default: all]
    #[arg(
        long,
        env = "NQUEENS_LIMIT",
        value_name = "BOARDS",
        value_parser = values::board_count,
        allow_negative_numbers = true
    )]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}
