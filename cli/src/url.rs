//! The address of a coordinator.

use std::{fmt, net::IpAddr, str::FromStr};

use tonic::transport::Uri;

/// The address of a coordinator: `http://HOST:PORT`, or `https://HOST:PORT` where connections are encrypted.
#[derive(Clone, Debug)]
pub(crate) struct Url(Uri);

impl Url {
    /// Returns the address in the form that connections are made from.
    pub(crate) fn uri(&self) -> Uri {
        self.0.clone()
    }

    /// Tells whether connections are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.scheme_str() == Some("https")
    }

    /// Returns the name that the coordinator's certificate must have.
    pub(crate) fn host(&self) -> &str {
        self.0.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// Tells whether what is sent there stays on this machine.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        let host = self.host();
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl FromStr for Url {
    type Err = &'static str;

    /// Parses an address; `http://` may be left out.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WANTED: &str = "the address of a coordinator looks like http://HOST:7117 or https://HOST:7117";
        let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let uri: Uri = with_scheme.parse().map_err(|_| WANTED)?;
        let known = matches!(uri.scheme_str(), Some("http" | "https"));
        let named = uri.host().is_some_and(|host| !host.is_empty());
        if known && named && uri.path() == "/" && uri.query().is_none() { Ok(Self(uri)) } else { Err(WANTED) }
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
        for bad in
            ["", "http://", "ftp://host:1", "https://", "http://host:1/path", "host:1/?a", "a b", ":7117"]
        {
            assert!(bad.parse::<Url>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_says_where_it_leads() {
        for (text, encrypted, here) in [
            ("localhost:1", false, true),
            ("https://127.0.0.2:1", true, true),
            ("https://[::1]:1", true, true),
            ("http://[2001:db8::1]:1", false, false),
            ("https://localhost.example:1", true, false),
        ] {
            let url: Url = text.parse().expect("an address");
            assert_eq!((url.is_encrypted(), url.is_on_this_machine()), (encrypted, here), "{text}");
        }
    }
}
