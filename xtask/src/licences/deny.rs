//! The part of deny.toml that we check ourselves.

use anyhow::{Context, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What deny.toml permits.
#[derive(Debug)]
pub struct Deny {
    /// Licences, as SPDX names them; one with an exception is listed as a whole.
    pub allowed_licences: Vec<String>,
    banned: Vec<(String, String)>,
}

impl Deny {
    /// Reads `[licenses] allow` and `[bans] deny`.
    pub fn parse(text: &str) -> Result<Self> {
        let document = DeTable::parse(text).context("deny.toml is not TOML")?;
        let allowed = array(document.get_ref(), "licenses", "allow")?;
        let banned = array(document.get_ref(), "bans", "deny")?;
        Ok(Self {
            allowed_licences: allowed.iter().filter_map(|value| value.as_str()).map(str::to_owned).collect(),
            banned: banned.iter().map(|value| ban(value)).collect::<Result<_>>()?,
        })
    }

    /// Why a crate may not be used, if it may not.
    pub fn banned(&self, name: &str) -> Option<&str> {
        self.banned.iter().find(|(banned, _)| banned == name).map(|(_, reason)| reason.as_str())
    }
}

fn array<'t, 'i>(document: &'t DeTable<'i>, table: &str, key: &str) -> Result<Vec<&'t DeValue<'i>>> {
    let array =
        document.get(table).and_then(|table| table.get_ref().as_table()?.get(key)?.get_ref().as_array());
    let array = array.with_context(|| format!("deny.toml has no list `{key}` in [{table}]"))?;
    Ok(array.iter().map(Spanned::get_ref).collect())
}

fn ban(value: &DeValue<'_>) -> Result<(String, String)> {
    let field =
        |name| value.as_table().and_then(|table| table.get(name)).and_then(|field| field.get_ref().as_str());
    let name = value
        .as_str()
        .or_else(|| field("crate"))
        .or_else(|| field("name"))
        .context("a ban in deny.toml names no crate")?;
    Ok((name.to_owned(), field("reason").unwrap_or("deny.toml gives no reason").to_owned()))
}
