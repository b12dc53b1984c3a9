//! Published values of Q(n) and U(n), for checking answers. Nothing here is ever an answer.
//!
//! Sequences A000170 (all solutions) and A002562 (solutions up to rotation and reflection) of the On-Line Encyclopedia
//! of Integer Sequences. Q(27) is due to Preußer and Engelhardt (2016).

use crate::size::Size;

/// Q(n) and U(n) for n = 1, 2, 3, …
const TABLE: [(u64, u64); 27] = [
    (1, 1),
    (0, 0),
    (0, 0),
    (2, 1),
    (10, 2),
    (4, 1),
    (40, 6),
    (92, 12),
    (352, 46),
    (724, 92),
    (2_680, 341),
    (14_200, 1_787),
    (73_712, 9_233),
    (365_596, 45_752),
    (2_279_184, 285_053),
    (14_772_512, 1_846_955),
    (95_815_104, 11_977_939),
    (666_090_624, 83_263_591),
    (4_968_057_848, 621_012_754),
    (39_029_188_884, 4_878_666_808),
    (314_666_222_712, 39_333_324_973),
    (2_691_008_701_644, 336_376_244_042),
    (24_233_937_684_440, 3_029_242_658_210),
    (227_514_171_973_736, 28_439_272_956_934),
    (2_207_893_435_808_352, 275_986_683_743_434),
    (22_317_699_616_364_044, 2_789_712_466_510_289),
    (234_907_967_154_122_528, 29_363_495_934_315_694),
];

/// Returns the published Q(n), the number of solutions, or `None` beyond n = 27.
pub fn total(size: Size) -> Option<u64> {
    TABLE.get(size.index() - 1).map(|&(total, _)| total)
}

/// Returns the published U(n), the number of solutions up to rotation and reflection, or `None` beyond n = 27.
pub fn fundamental(size: Size) -> Option<u64> {
    TABLE.get(size.index() - 1).map(|&(_, fundamental)| fundamental)
}
