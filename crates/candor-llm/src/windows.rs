// tidy: table
//! How much models can read at once, so that a conversation is made shorter before it is refused.

use crate::model_name;

/// The tokens of prompt and answer that the model takes together; none for a model that the table does not know.
pub fn context_window(model: &str) -> Option<u64> {
    model_name::find(WINDOWS, &model_name::bare(model)).copied()
}

/// The same behind Ollama, which makes as much room as it is told to: for all of a large model's window most machines have no
/// memory. It is always told, because its own default is a few thousand tokens, and it cuts what does not fit off the beginning of
/// a conversation without a word; and no conversation may grow beyond it.
pub fn ollama_context_window(model: &str) -> u64 {
    context_window(model).unwrap_or(OLLAMA_CONTEXT_TOKENS).min(OLLAMA_CONTEXT_TOKENS)
}

pub(crate) const OLLAMA_CONTEXT_TOKENS: u64 = 32_768;

/// By the beginning of the name. Where servers of one model differ, the smaller size: too early a summary costs less
/// than a refused request.
#[rustfmt::skip]
const WINDOWS: &[(&str, u64)] = &[
    // Anthropic; more is to be had only with a header of its own
    ("claude",                        200_000),
    ("claude-2",                      100_000),
    // OpenAI
    ("gpt-3.5-turbo",                 16_385),
    ("gpt-4",                         8_192),
    ("gpt-4-turbo",                   128_000),
    ("gpt-4-1106-preview",            128_000),
    ("gpt-4-0125-preview",            128_000),
    ("gpt-4-32k",                     32_768),
    ("chatgpt-4o-latest",             128_000),
    ("gpt-4o",                        128_000),
    ("gpt-4.1",                       1_047_576),
    ("gpt-5",                         400_000),
    ("gpt-5-chat",                    128_000),
    ("gpt-5.1",                       400_000),
    ("gpt-5.1-chat",                  128_000),
    ("gpt-oss-20b",                   131_072),
    ("gpt-oss-120b",                  131_072),
    ("o1",                            200_000),
    ("o1-mini",                       128_000),
    ("o1-preview",                    128_000),
    ("o3",                            200_000),
    ("o4-mini",                       200_000),
    // DeepSeek
    ("deepseek-chat",                 128_000),
    ("deepseek-reasoner",             128_000),
    // Google
    ("gemini-1.5-flash",              1_048_576),
    ("gemini-1.5-pro",                2_097_152),
    ("gemini-2.0-flash",              1_048_576),
    ("gemini-2.5-flash",              1_048_576),
    ("gemini-2.5-pro",                1_048_576),
    ("gemini-3-pro",                  1_048_576),
    // Mistral
    ("codestral",                     128_000),
    ("devstral-medium",               128_000),
    ("devstral-small",                128_000),
    ("magistral-medium",              40_000),
    ("magistral-small",               40_000),
    ("ministral-3b",                  128_000),
    ("ministral-8b",                  128_000),
    ("mistral-large",                 128_000),
    ("mistral-medium",                128_000),
    ("mistral-small",                 32_000),
    ("open-mistral-nemo",             128_000),
    ("pixtral-large",                 128_000),
    // Llama at Groq
    ("llama-3.1-8b-instant",          131_072),
    ("llama-3.3-70b-versatile",       131_072),
    ("llama-4-maverick-17b-128e-instruct", 131_072),
    ("llama-4-scout-17b-16e-instruct", 131_072),
    // xAI
    ("grok-2",                        131_072),
    ("grok-3",                        131_072),
    ("grok-4",                        256_000),
    ("grok-4-fast",                   2_000_000),
    ("grok-4-1-fast",                 2_000_000),
    ("grok-code-fast-1",              256_000),
    // Others that are met often
    ("glm-4.5",                       128_000),
    ("glm-4.6",                       200_000),
    ("kimi-k2",                       128_000),
    ("qwen3-coder",                   256_000),
];
