//! Which models a server has.

use reqwest::Method;
use serde_json::Value;

use crate::{Error, HttpProvider, http};

/// The most bytes of a list of models. The longest known, a router's, has half a megabyte.
const LIST_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The names of the models that a server has, sorted.
pub async fn models(provider: &HttpProvider) -> Result<Vec<String>, Error> {
    let wire = provider.wire();
    let path = wire.models_path();
    let url = provider.shown_url(path);
    let asked = provider.request(Method::GET, path)?;
    let response = http::open(provider, asked, &url, "").await?;
    let body = http::whole(provider, response, LIST_BYTES_MAX).await?;
    let Ok(list) = serde_json::from_slice::<Value>(&body) else {
        return Err(Error::NotAProvider { url, reason: "something that is no JSON".to_owned() });
    };
    let mut models = wire.models(&list);
    models.sort_unstable();
    models.dedup();
    Ok(models)
}
