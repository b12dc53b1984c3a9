//! Every combination of what a coordinator wants and what a caller shows, on both ports.

use Answer::{Forbidden, In, NoConnection, Unauthenticated};
use Wants::{Certificate, CertificateOrToken, Token, TokenOverTls};

use crate::{
    ask::{Answer, Call, Caller},
    cluster::{Cluster, Wants},
    log,
    material::{Authority, CLIENT, Pair, VIEWER, WORKER},
};

/// A credential, as it fits a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nothing,
    Right,
    WrongRole,
    /// A token that is not in the file.
    Wrong,
    /// A certificate that was good once.
    Expired,
    /// A certificate that somebody else signed.
    Foreign,
    /// A certificate that names no role.
    NoRole,
}

use Shown::{Expired, Foreign, NoRole, Nothing, Right, Wrong, WrongRole};

/// What the coordinator wants, the token that is shown, the certificate that is shown, and what comes of it.
const TABLE: &[(Wants, Shown, Shown, Answer)] = &[
    // Nothing is asked, so whatever is shown is of no matter.
    (Wants::Nothing, Nothing, Nothing, In),
    (Wants::Nothing, Wrong, Nothing, In),
    (Wants::Nothing, WrongRole, Nothing, In),
    (Wants::Nothing, Right, Nothing, In),
    (Token, Nothing, Nothing, Unauthenticated),
    (Token, Wrong, Nothing, Unauthenticated),
    (Token, WrongRole, Nothing, Forbidden),
    (Token, Right, Nothing, In),
    (TokenOverTls, Nothing, Nothing, Unauthenticated),
    (TokenOverTls, Wrong, Nothing, Unauthenticated),
    (TokenOverTls, WrongRole, Nothing, Forbidden),
    (TokenOverTls, Right, Nothing, In),
    // No certificate is asked for, so none is seen, whatever it is.
    (TokenOverTls, Nothing, Right, Unauthenticated),
    (TokenOverTls, Wrong, Right, Unauthenticated),
    (TokenOverTls, WrongRole, Right, Forbidden),
    (TokenOverTls, Right, WrongRole, In),
    (TokenOverTls, Right, Expired, In),
    (TokenOverTls, Right, Foreign, In),
    // A certificate has to be shown. A token is not asked for, and one that is shown is not believed.
    (Certificate, Nothing, Nothing, NoConnection),
    (Certificate, Right, Nothing, NoConnection),
    (Certificate, Nothing, Right, In),
    (Certificate, Nothing, WrongRole, Forbidden),
    (Certificate, Nothing, NoRole, Forbidden),
    (Certificate, Nothing, Expired, NoConnection),
    (Certificate, Nothing, Foreign, NoConnection),
    (Certificate, Wrong, Right, Unauthenticated),
    (Certificate, WrongRole, Right, Unauthenticated),
    (Certificate, Right, Right, Unauthenticated),
    (Certificate, Right, Foreign, NoConnection),
    // Either will do; the token counts if both are shown.
    (CertificateOrToken, Nothing, Nothing, Unauthenticated),
    (CertificateOrToken, Wrong, Nothing, Unauthenticated),
    (CertificateOrToken, WrongRole, Nothing, Forbidden),
    (CertificateOrToken, Right, Nothing, In),
    (CertificateOrToken, Nothing, Right, In),
    (CertificateOrToken, Wrong, Right, Unauthenticated),
    (CertificateOrToken, WrongRole, Right, Forbidden),
    (CertificateOrToken, Right, Right, In),
    (CertificateOrToken, Nothing, WrongRole, Forbidden),
    (CertificateOrToken, Wrong, WrongRole, Unauthenticated),
    (CertificateOrToken, Right, WrongRole, In),
    (CertificateOrToken, Nothing, NoRole, Forbidden),
    (CertificateOrToken, Right, NoRole, In),
    // A certificate that is shown must be good, whatever else is shown.
    (CertificateOrToken, Nothing, Expired, NoConnection),
    (CertificateOrToken, Wrong, Expired, NoConnection),
    (CertificateOrToken, WrongRole, Expired, NoConnection),
    (CertificateOrToken, Right, Expired, NoConnection),
    (CertificateOrToken, Nothing, Foreign, NoConnection),
    (CertificateOrToken, Right, Foreign, NoConnection),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_right_ones_come_in() {
    let _alone = log::alone().await;
    log::keep();
    for wants in [Wants::Nothing, Token, TokenOverTls, Certificate, CertificateOrToken] {
        let cluster = Cluster::start(wants).await;
        let foreign = Authority::new();
        for &(_, token, certificate, expected) in TABLE.iter().filter(|row| row.0 == wants) {
            for call in [Call::Read, Call::Steer, Call::Work] {
                let caller = Caller {
                    token: self::token(call, token),
                    pair: pair(call, certificate, &cluster.authority, &foreign),
                };
                let case = format!("{wants:?} token {token:?} certificate {certificate:?} {call:?}");
                let refusals = || log::text().matches("refused peer=").count();
                let before = refusals();
                assert_eq!(cluster.over_grpc(&caller, call).await, expected, "gRPC {case}");
                let mut refused = usize::from(expected != In);
                if call != Call::Work {
                    assert_eq!(cluster.over_http(&caller, call).await, expected, "HTTP {case}");
                    refused *= 2;
                }
                // Whoever hangs up first may be logged only after a while.
                while refusals() < before + refused {
                    tokio::task::yield_now().await;
                }
                assert!(refused > 0 || refusals() == before, "{case}: somebody was refused");
            }
        }
    }
    let logged = log::text();
    for secret in [WORKER, CLIENT, VIEWER, WRONG, "PRIVATE KEY"] {
        assert!(!logged.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test]
async fn a_browser_is_asked_for_a_password_and_other_sites_change_nothing() {
    let _together = log::together().await;
    let cluster = Cluster::start(TokenOverTls).await;
    let ask = async |method, headers: &str| {
        cluster.http(&Caller::default(), method, "/", headers).await.expect("an answer")
    };
    let page = ask("GET", "").await;
    assert!(page.starts_with("HTTP/1.0 401") && page.contains("<html"), "{page}");
    assert!(page.contains("www-authenticate: Basic realm="), "{page}");
    // "any:client-token-0123456789abcdef"
    let basic = "authorization: Basic YW55OmNsaWVudC10b2tlbi0wMTIzNDU2Nzg5YWJjZGVm\r\n";
    assert!(ask("GET", basic).await.starts_with("HTTP/1.0 200"));
    let form = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 0\r\n";
    let post = async |site: &str| {
        let headers = format!("{basic}{form}sec-fetch-site: {site}\r\n");
        let path = "/workers/999/drain";
        cluster.http(&Caller::default(), "POST", path, &headers).await.expect("an answer")
    };
    assert!(post("same-origin").await.starts_with("HTTP/1.0 404"));
    assert!(post("cross-site").await.starts_with("HTTP/1.0 403"));
}

#[tokio::test]
async fn no_page_can_have_its_own_name_lead_here() {
    let _together = log::together().await;
    let cluster = Cluster::start(Wants::Nothing).await;
    let nobody = Caller::default();
    let by = async |name: &str| {
        let host = format!("host: {name}\r\n");
        cluster.http(&nobody, "GET", "/", &host).await.expect("an answer")
    };
    assert!(by("queens.example").await.starts_with("HTTP/1.0 403"));
    assert!(by("127.0.0.1").await.starts_with("HTTP/1.0 200"));
}

#[tokio::test]
async fn anybody_may_ask_whether_it_is_well() {
    let _together = log::together().await;
    let cluster = Cluster::start(TokenOverTls).await;
    let nobody = Caller::default();
    for path in ["/healthz", "/readyz"] {
        let answer = cluster.http(&nobody, "GET", path, "").await.expect("an answer");
        assert!(answer.starts_with("HTTP/1.0 200"), "{answer}");
    }
    let answer = cluster.http(&nobody, "GET", "/metrics", "").await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.0 401"), "{answer}");
}

const WRONG: &str = "some-token-that-is-in-no-file";

fn token(call: Call, shown: Shown) -> Option<String> {
    let token = match (shown, call) {
        (Nothing, _) => return None,
        (Right, Call::Read) => VIEWER,
        (Right, Call::Steer) => CLIENT,
        (Right, Call::Work) => WORKER,
        (WrongRole, Call::Read) => WORKER,
        (WrongRole, Call::Steer) => VIEWER,
        (WrongRole, Call::Work) => CLIENT,
        _ => WRONG,
    };
    Some(token.to_owned())
}

fn pair(call: Call, shown: Shown, authority: &Authority, foreign: &Authority) -> Option<Pair> {
    let (right, wrong) = match call {
        Call::Read => ("viewer", "worker"),
        Call::Steer => ("client", "viewer"),
        Call::Work => ("worker", "client"),
    };
    match shown {
        Nothing | Wrong => None,
        Right => Some(authority.caller(right)),
        WrongRole => Some(authority.caller(wrong)),
        NoRole => Some(authority.caller("king")),
        Expired => Some(authority.expired(right)),
        Foreign => Some(foreign.caller(right)),
    }
}
