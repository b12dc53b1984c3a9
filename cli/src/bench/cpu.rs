//! What this machine's processor calls itself.

use std::fs;

/// Returns the processor's model name, or the architecture if the system does not tell.
pub(crate) fn cpu_name() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").ok();
    let name = told.as_deref().and_then(model_name).map(str::to_owned);
    name.unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_name_is_found() {
        assert_eq!(model_name("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"), Some("Some CPU @ 2 GHz"));
        assert_eq!(model_name("processor\t: 0\n"), None);
        assert!(!cpu_name().is_empty());
    }
}
