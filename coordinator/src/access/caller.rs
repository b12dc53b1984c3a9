//! What callers show of themselves, and how they are answered who do not belong.

use base64::{Engine, engine::general_purpose::STANDARD};
use tokio_util::sync::CancellationToken;

use super::role::Right;

/// Somebody who was let in.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Cancelled when the caller is no longer welcome; `None` where nobody asks who somebody is.
    pub(crate) revoked: Option<CancellationToken>,
}

/// Why somebody is not let in, in a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    /// It is not known who asks.
    #[error("{0}")]
    Unauthenticated(String),
    /// It is known, and that one may not.
    #[error("{0}")]
    Forbidden(String),
    /// The caller has too much open already.
    #[error("this address has {0} calls open, which is the most it may have; let some of them end")]
    TooMany(usize),
}

impl Denied {
    pub(super) fn unknown(reason: &str) -> Self {
        Self::Unauthenticated(reason.to_owned())
    }

    pub(super) fn forbidden(who: &str, right: Right) -> Self {
        Self::Forbidden(format!("{who}; this call needs {}", right.wanted()))
    }
}

/// Returns the token in the value of an `authorization` header: as it is (Bearer), or as the password beside any name
/// (Basic), which is how browsers send it.
pub(super) fn token(authorization: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(authorization).ok()?;
    let (scheme, shown) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(shown.trim().as_bytes().to_vec());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let pair = STANDARD.decode(shown.trim()).ok()?;
        let colon = pair.iter().position(|&byte| byte == b':')?;
        return Some(pair[colon + 1..].to_vec());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_bearer_or_a_password() {
        for (header, expected) in [
            ("Bearer abc", Some("abc")),
            ("bearer  abc ", Some("abc")),
            // "any:a:b" and ":abc"
            ("Basic YW55OmE6Yg==", Some("a:b")),
            ("basic OmFiYw==", Some("abc")),
            ("Basic YW55", None),
            ("Basic !", None),
            ("Digest abc", None),
            ("abc", None),
            ("", None),
        ] {
            assert_eq!(token(header.as_bytes()).as_deref(), expected.map(str::as_bytes), "{header}");
        }
    }
}
