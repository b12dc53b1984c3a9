//! `nqueens certs`: certificates and tokens for a trial.

use crate::{
    args::{CertsArgs, CertsCommand, InitArgs},
    certs, output,
};

pub(crate) fn run(args: &CertsArgs) -> anyhow::Result<()> {
    match &args.command {
        CertsCommand::Init(args) => init(args),
    }
}

fn init(args: &InitArgs) -> anyhow::Result<()> {
    certs::init(&args.dir, &args.hosts, args.days)?;
    let dir = args.dir.display();
    Ok(output::line(format!(
        "made {dir}, for {} days; keep {dir}/ca.key to yourself. To try it:\n\
         nqueens coordinator --tls-cert {dir}/coordinator/cert.pem --tls-key {dir}/coordinator/key.pem \
         --client-ca {dir}/ca.pem --tokens {dir}/coordinator/tokens\n\
         nqueens worker --coordinator https://localhost:7117 --ca {dir}/worker/ca.pem --cert {dir}/worker/cert.pem \
         --key {dir}/worker/key.pem\n\
         nqueens count 17 --coordinator https://localhost:7117 --ca {dir}/client/ca.pem --token-file {dir}/client/token",
        args.days
    ))?)
}
