//! The shape of a frame, as far as we read it.

use std::borrow::Cow;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::lenient::{self, Accept, Count, List, Object, Problem, Text};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) object: Text<'a>,
    #[serde(borrow)]
    pub(super) model: Text<'a>,
    #[serde(borrow)]
    pub(super) choices: List<Object<Choice<'a>>>,
    pub(super) usage: Object<Usage>,
    pub(super) x_groq: Object<Groq>,
    #[serde(borrow)]
    pub(super) error: Problem<'a>,
    /// The next three are those of an error that stands bare in its frame.
    #[serde(borrow)]
    pub(super) message: Text<'a>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) code: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Groq {
    pub(super) usage: Object<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) prompt_tokens: Count,
    pub(super) completion_tokens: Count,
    pub(super) total_tokens: Count,
    pub(super) prompt_tokens_details: Object<PromptDetails>,
    /// `DeepSeek`'s name for the cached ones.
    pub(super) prompt_cache_hit_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PromptDetails {
    pub(super) cached_tokens: Count,
    pub(super) cache_write_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) delta: Object<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Content<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Text<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Text<'a>,
    pub(super) reasoning_details: List<Value>,
    #[serde(borrow)]
    pub(super) refusal: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: List<Object<Call<'a>>>,
    #[serde(borrow)]
    pub(super) function_call: Object<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Call<'a> {
    pub(super) index: Count,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) function: Object<Function<'a>>,
    pub(super) extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Function<'a> {
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Arguments<'a>,
}

/// Arguments: a text, as they should be, or the object itself, as some servers send it.
#[derive(Debug, Default)]
pub(super) enum Arguments<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Object(Value),
}

/// Content: a text, or Mistral's list of typed parts.
#[derive(Debug, Default)]
pub(super) enum Content<'a> {
    #[default]
    None,
    Text(Cow<'a, str>),
    Parts(Vec<Value>),
}

impl<'de> Accept<'de> for Arguments<'de> {
    fn text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }
    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(object)).map(Self::Object)
    }
}

impl<'de> Accept<'de> for Content<'de> {
    fn text(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }
    fn list<A: SeqAccess<'de>>(list: A) -> Result<Self, A::Error> {
        List::list(list).map(|list| Self::Parts(list.0))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        lenient::any::<Arguments<'de>, D>(from)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        lenient::any::<Content<'de>, D>(from)
    }
}
