//! The part of deny.toml that we check ourselves.

use anyhow::{Context, Result};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What deny.toml permits.
#[derive(Debug)]
pub struct Deny {
    /// Licences, as SPDX names them; one with an exception is listed as a whole.
    pub allowed_licences: Vec<String>,
    banned: Vec<Ban>,
}

/// A crate that may not be used.
#[derive(Debug)]
struct Ban {
    name: String,
    reason: String,
    /// Those who may use it nevertheless, inside. That is for cargo-deny to see; we see that none of ours does.
    wrappers: Vec<String>,
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

    /// Why a crate may not be there, if nobody may use it.
    pub fn banned(&self, name: &str) -> Option<&str> {
        let ban = self.banned.iter().find(|ban| ban.name == name && ban.wrappers.is_empty());
        ban.map(|ban| ban.reason.as_str())
    }

    /// Why one of ours may not use a crate, if it may not.
    pub fn banned_for(&self, member: &str, name: &str) -> Option<&str> {
        let is_wrapper = |ban: &Ban| ban.wrappers.iter().any(|wrapper| wrapper == member);
        let ban = self.banned.iter().find(|ban| ban.name == name && !is_wrapper(ban));
        ban.map(|ban| ban.reason.as_str())
    }
}

fn array<'t, 'i>(document: &'t DeTable<'i>, table: &str, key: &str) -> Result<Vec<&'t DeValue<'i>>> {
    let array =
        document.get(table).and_then(|table| table.get_ref().as_table()?.get(key)?.get_ref().as_array());
    let array = array.with_context(|| format!("deny.toml has no list `{key}` in [{table}]"))?;
    Ok(array.iter().map(Spanned::get_ref).collect())
}

fn ban(value: &DeValue<'_>) -> Result<Ban> {
    let field =
        |name| value.as_table().and_then(|table| table.get(name)).and_then(|field| field.get_ref().as_str());
    let name = value
        .as_str()
        .or_else(|| field("crate"))
        .or_else(|| field("name"))
        .context("a ban in deny.toml names no crate")?;
    let wrappers = value.as_table().and_then(|table| table.get("wrappers")?.get_ref().as_array());
    let wrappers = wrappers.into_iter().flatten().filter_map(|wrapper| wrapper.get_ref().as_str());
    Ok(Ban {
        name: name.to_owned(),
        reason: field("reason").unwrap_or("deny.toml gives no reason").to_owned(),
        wrappers: wrappers.map(str::to_owned).collect(),
    })
}
