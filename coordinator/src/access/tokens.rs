//! Bearer tokens and their roles, as a file has them.

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;

use super::role::Role;

/// A token that is shorter could be guessed.
const BYTES_MIN: usize = 16;
/// What stands before a digest in place of a token.
const DIGEST_PREFIX: &str = "sha256:";

type Digest = [u8; 32];

/// All tokens that are accepted. Only their digests are kept.
#[derive(Debug)]
pub(crate) struct Tokens(Vec<Token>);

/// One token.
#[derive(Debug)]
pub(crate) struct Token {
    digest: Digest,
    pub(crate) role: Role,
    /// The line of the file that has it: its name in log lines.
    pub(crate) line: usize,
    /// Cancelled when the token is no longer accepted.
    pub(crate) revoked: CancellationToken,
}

/// What is wrong with a file of tokens; never with the token itself.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadTokens {
    #[error(
        "line {0} is not `ROLE TOKEN` or `ROLE sha256:DIGEST`, with viewer, client or worker as the role"
    )]
    Line(usize),
    #[error("the token of line {0} is shorter than {BYTES_MIN} bytes; draw a long one at random")]
    Short(usize),
    #[error("the digest of line {0} is not 64 hexadecimal digits")]
    Digest(usize),
    #[error("line {0} has the token of line {1} again")]
    Twice(usize, usize),
    #[error("it has no token")]
    None,
}

impl Tokens {
    /// Reads lines of a role and a token or its digest. Empty lines and those that begin with `#` mean nothing.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTokens> {
        let mut tokens: Vec<Token> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let token = Token::parse(line, text)?;
            if let Some(same) = tokens.iter().find(|other| other.digest == token.digest) {
                return Err(BadTokens::Twice(line, same.line));
            }
            tokens.push(token);
        }
        if tokens.is_empty() { Err(BadTokens::None) } else { Ok(Self(tokens)) }
    }

    /// Finds what a caller shows. It takes the same time whatever that is.
    pub(crate) fn find(&self, shown: &[u8]) -> Option<&Token> {
        let shown = sha256(shown);
        // All are looked at, so that the time does not tell which one fits.
        self.0.iter().fold(
            None,
            |found, token| if bool::from(token.digest.ct_eq(&shown)) { Some(token) } else { found },
        )
    }

    /// Takes the place of `older`: who shows a token that is in both goes on, whose token is not is told to end.
    pub(crate) fn succeed(&mut self, older: &Self) {
        for old in &older.0 {
            let same = |new: &&mut Token| new.digest == old.digest && new.role == old.role;
            if let Some(new) = self.0.iter_mut().find(same) {
                new.revoked = old.revoked.clone();
            }
        }
    }

    /// Tells those to end whose token is not in `newer`.
    pub(crate) fn revoke_all_but(&self, newer: &Self) {
        for old in &self.0 {
            if !newer.0.iter().any(|new| new.digest == old.digest && new.role == old.role) {
                old.revoked.cancel();
            }
        }
    }
}

impl Token {
    fn parse(line: usize, text: &str) -> Result<Self, BadTokens> {
        let (role, token) = text.split_once(char::is_whitespace).ok_or(BadTokens::Line(line))?;
        let (role, token) = (role.parse().map_err(|_| BadTokens::Line(line))?, token.trim());
        if token.contains(char::is_whitespace) {
            return Err(BadTokens::Line(line));
        }
        let digest = match token.strip_prefix(DIGEST_PREFIX) {
            Some(digits) => from_hex(digits).ok_or(BadTokens::Digest(line))?,
            None if token.len() < BYTES_MIN => return Err(BadTokens::Short(line)),
            None => sha256(token.as_bytes()),
        };
        Ok(Self { digest, role, line, revoked: CancellationToken::new() })
    }
}

fn sha256(bytes: &[u8]) -> Digest {
    let mut digits = Digest::default();
    digits.copy_from_slice(digest(&SHA256, bytes).as_ref());
    digits
}

fn from_hex(digits: &str) -> Option<Digest> {
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut digest = Digest::default();
    for (place, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "a-token-that-is-long";
    const B: &str = "b-token-that-is-long";

    fn tokens(text: &str) -> Tokens {
        Tokens::parse(text).expect("good tokens")
    }

    #[test]
    fn a_token_is_found_by_itself_and_by_its_digest() {
        // printf %s b-token-that-is-long | sha256sum
        let hex = "539f836381bb50c52ad0ae463d7c5dcc330d404816aba193e2dd880bcb87717c";
        let tokens = tokens(&format!("# for trials\n\nworker {A}\n  viewer\tsha256:{hex}\n"));
        assert_eq!(tokens.find(A.as_bytes()).map(|token| (token.role, token.line)), Some((Role::Worker, 3)));
        assert_eq!(tokens.find(B.as_bytes()).map(|token| (token.role, token.line)), Some((Role::Viewer, 4)));
        for wrong in ["", "a", "A-token-that-is-long", hex, &format!("sha256:{hex}")] {
            assert!(tokens.find(wrong.as_bytes()).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_the_token() {
        for (text, wrong) in [
            ("", BadTokens::None),
            ("# nothing\n", BadTokens::None),
            ("a-token-that-is-long", BadTokens::Line(1)),
            ("\nking a-token-that-is-long", BadTokens::Line(2)),
            ("client a-token that-is-long", BadTokens::Line(1)),
            ("client short", BadTokens::Short(1)),
            ("client sha256:12", BadTokens::Digest(1)),
            ("client a-token-that-is-long\nviewer a-token-that-is-long", BadTokens::Twice(2, 1)),
        ] {
            let said = Tokens::parse(text).expect_err(text);
            assert!(!said.to_string().contains("that-is-long"), "{said}");
            assert_eq!(said, wrong, "{text}");
        }
    }

    #[test]
    fn who_is_in_both_goes_on() {
        let old = tokens(&format!("worker {A}\nclient {B}"));
        let found = |tokens: &Tokens, token: &str| tokens.find(token.as_bytes()).map(|t| t.revoked.clone());
        let (a, b) = (found(&old, A).expect("a"), found(&old, B).expect("b"));
        // The role of b is another now.
        let mut new = tokens(&format!("viewer {B}\nworker {A}"));
        new.succeed(&old);
        old.revoke_all_but(&new);
        assert!(!a.is_cancelled() && b.is_cancelled());
        assert!(!found(&new, B).expect("b").is_cancelled());
        // A token that goes later ends those who came with it before.
        tokens(&format!("viewer {B}")).succeed(&new);
        new.revoke_all_but(&tokens(&format!("viewer {B}")));
        assert!(a.is_cancelled());
    }
}
