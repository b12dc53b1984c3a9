//! Makes an authority, certificates and tokens for a trial. What this program wants of certificates is no more than that:
//! whoever has an authority of their own can do the same with it.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use coordinator::Role;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom, SystemRandom},
};
use time::{Duration, OffsetDateTime};

/// By these the coordinator can always be reached from its own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const ROLES: [Role; 3] = [Role::Worker, Role::Client, Role::Viewer];

/// Makes `dir` with a folder for each role. An error if there is something in it already.
pub(crate) fn init(dir: &Path, hosts: &[String], days: u32) -> anyhow::Result<()> {
    if fs::read_dir(dir).is_ok_and(|mut there| there.next().is_some()) {
        bail!("{} has something in it, which is not overwritten; name another folder", dir.display());
    }
    let authority = Authority::new(days)?;
    private_folder(dir)?;
    write(dir.join("ca.pem"), &authority.pem, Secrecy::Open)?;
    write(dir.join("ca.key"), &authority.issuer.key().serialize_pem(), Secrecy::Secret)?;
    let mut tokens = String::from("# A role and the SHA-256 digest of its token, a line each.\n");
    for role in ROLES {
        let folder = dir.join(role.name());
        authority.issue(&folder, &caller(role)?, role.name())?;
        let token = token()?;
        write(folder.join("token"), &format!("{token}\n"), Secrecy::Secret)?;
        tokens += &format!("{role} sha256:{}\n", hex(digest(&SHA256, token.as_bytes()).as_ref()));
    }
    let folder = dir.join("coordinator");
    authority.issue(&folder, &server(hosts)?, "coordinator")?;
    write(folder.join("tokens"), &tokens, Secrecy::Secret)
}

/// Who signs all certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    days: u32,
}

impl Authority {
    fn new(days: u32) -> anyhow::Result<Self> {
        // Two authorities must not have one name, or the wrong one is asked about a signature.
        let mut params =
            lasting(CertificateParams::default(), &format!("authority {}", &token()?[..8]), days);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(params, key), pem, days })
    }

    /// Writes a certificate, its key, and the authority that others are to believe.
    fn issue(&self, folder: &Path, params: &CertificateParams, name: &str) -> anyhow::Result<()> {
        let key = KeyPair::generate()?;
        let certificate = lasting(params.clone(), name, self.days).signed_by(&key, &self.issuer)?;
        private_folder(folder)?;
        write(folder.join("ca.pem"), &self.pem, Secrecy::Open)?;
        write(folder.join("cert.pem"), &certificate.pem(), Secrecy::Open)?;
        write(folder.join("key.pem"), &key.serialize_pem(), Secrecy::Secret)
    }
}

fn lasting(mut params: CertificateParams, name: &str, days: u32) -> CertificateParams {
    params.distinguished_name.push(DnType::CommonName, format!("nqueens {name}"));
    let now = OffsetDateTime::now_utc();
    // Clocks differ a little.
    params.not_before = now - Duration::hours(1);
    params.not_after = now + Duration::days(days.into());
    params
}

fn server(hosts: &[String]) -> anyhow::Result<CertificateParams> {
    let names: Vec<_> = LOOPBACK
        .into_iter()
        .map(str::to_owned)
        .chain(hosts.iter().map(|host| host.trim().to_owned()))
        .collect();
    let mut params = CertificateParams::new(names).context("--host is not a name or address")?;
    params.use_authority_key_identifier_extension = true;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok(params)
}

fn caller(role: Role) -> anyhow::Result<CertificateParams> {
    let mut params = CertificateParams::default();
    params.subject_alt_names = vec![SanType::URI(format!("nqueens:{role}").try_into()?)];
    params.use_authority_key_identifier_extension = true;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    Ok(params)
}

/// Returns 256 random bits in hexadecimal.
fn token() -> anyhow::Result<String> {
    let mut bits = [0; 32];
    SystemRandom::new().fill(&mut bits).ok().context("the system has no random numbers")?;
    Ok(hex(&bits))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

enum Secrecy {
    Open,
    Secret,
}

fn write(file: PathBuf, text: &str, secrecy: Secrecy) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(
        &mut options,
        match secrecy {
            Secrecy::Open => 0o644,
            Secrecy::Secret => 0o600,
        },
    );
    let written = options.open(&file).and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write {}", file.display()))
}

fn private_folder(folder: &Path) -> anyhow::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn secrets_are_for_their_owner_alone_and_nothing_is_overwritten() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("trial");
        init(&dir, &["queens.example".to_owned(), "10.1.2.3".to_owned()], 1).expect("a first time");
        let mode = |name: &str| fs::metadata(dir.join(name)).expect(name).permissions().mode() & 0o777;
        assert_eq!(mode(""), 0o700);
        for secret in
            ["ca.key", "worker/key.pem", "viewer/token", "coordinator/key.pem", "coordinator/tokens"]
        {
            assert_eq!(mode(secret), 0o600, "{secret}");
        }
        let before = fs::read(dir.join("ca.pem")).expect("the authority");
        let refused = init(&dir, &[], 1).expect_err("a second time").to_string();
        assert!(refused.contains("not overwritten"), "{refused}");
        assert_eq!(fs::read(dir.join("ca.pem")).expect("the authority"), before);
    }

    #[test]
    fn a_host_that_is_none_is_refused() {
        assert!(server(&["näme".to_owned()]).is_err());
    }
}
