//! The address of a coordinator.

use std::{fmt, str::FromStr};

use tonic::transport::Uri;

/// The address of a coordinator: `http://HOST:PORT`.
#[derive(Clone, Debug)]
pub(crate) struct Url(Uri);

impl Url {
    /// Returns the address in the form that connections are made from.
    pub(crate) fn uri(&self) -> Uri {
        self.0.clone()
    }
}

impl FromStr for Url {
    type Err = &'static str;

    /// Parses an address; `http://` may be left out.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WANTED: &str = "the address of a coordinator looks like http://HOST:7117";
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let uri: Uri = with_scheme.parse().map_err(|_| WANTED)?;
        let plain = uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty());
        if plain && uri.path() == "/" && uri.query().is_none() { Ok(Self(uri)) } else { Err(WANTED) }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_string().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_no_scheme_but_a_host() {
        for good in ["localhost:7117", "http://127.0.0.1:7117", "http://[::1]:7117/", "coordinator:1"] {
            let shown = good.parse::<Url>().map(|url| url.to_string());
            assert!(shown.is_ok_and(|shown| shown.starts_with("http://") && !shown.ends_with('/')), "{good}");
        }
        for bad in [
            "",
            "http://",
            "ftp://host:1",
            "https://host:1",
            "http://host:1/path",
            "host:1/?a",
            "a b",
            ":7117",
        ] {
            assert!(bad.parse::<Url>().is_err(), "{bad}");
        }
    }
}
