//! The providers that need no table of their own.

use crate::settings::Dialect;

/// A provider known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The variable that holds its key; local servers need none.
    pub key_variable: Option<&'static str>,
    /// The variable that moves it to another address.
    pub base_url_variable: &'static str,
    /// A model to begin with; none where the server is asked which it has.
    pub model: &'static str,
    /// The language its server speaks.
    pub dialect: Dialect,
    /// Where its server usually is.
    pub base_url: &'static str,
}

impl Preset {
    /// Whether its server runs on the user's own machine.
    pub const fn is_local(&self) -> bool {
        self.key_variable.is_none()
    }
}

/// The model of servers that serve what they were started with: they are asked for its name.
pub const WHATEVER_IS_SERVED: &str = "default";

macro_rules! presets {
    ($($name:literal $key:expr, $base_url_variable:literal, $model:expr, $dialect:ident, $base_url:literal;)*) => {
        /// All presets, in the order in which their keys are looked for.
        pub const PRESETS: &[Preset] = &[$(Preset {
            name: $name,
            key_variable: $key,
            base_url_variable: $base_url_variable,
            model: $model,
            dialect: Dialect::$dialect,
            base_url: $base_url,
        }),*];
    };
}

#[rustfmt::skip]
presets! {
    "anthropic" Some("ANTHROPIC_API_KEY"), "ANTHROPIC_BASE_URL", "claude-sonnet-4-5", Anthropic, "https://api.anthropic.com";
    "openai" Some("OPENAI_API_KEY"), "OPENAI_BASE_URL", "gpt-5", OpenaiChat, "https://api.openai.com/v1";
    "openai-responses" Some("OPENAI_API_KEY"), "OPENAI_BASE_URL", "gpt-5", OpenaiResponses, "https://api.openai.com/v1";
    "deepseek" Some("DEEPSEEK_API_KEY"), "DEEPSEEK_BASE_URL", "deepseek-chat", OpenaiChat, "https://api.deepseek.com/v1";
    "gemini" Some("GEMINI_API_KEY"), "GEMINI_BASE_URL", "gemini-2.5-pro", Gemini, "https://generativelanguage.googleapis.com/v1beta";
    "openrouter" Some("OPENROUTER_API_KEY"), "OPENROUTER_BASE_URL", "openrouter/auto", OpenaiChat, "https://openrouter.ai/api/v1";
    "groq" Some("GROQ_API_KEY"), "GROQ_BASE_URL", "llama-3.3-70b-versatile", OpenaiChat, "https://api.groq.com/openai/v1";
    "xai" Some("XAI_API_KEY"), "XAI_BASE_URL", "grok-4", OpenaiChat, "https://api.x.ai/v1";
    "mistral" Some("MISTRAL_API_KEY"), "MISTRAL_BASE_URL", "mistral-large-latest", OpenaiChat, "https://api.mistral.ai/v1";
    "ollama" None, "OLLAMA_BASE_URL", WHATEVER_IS_SERVED, Ollama, "http://127.0.0.1:11434";
    "llama.cpp" None, "LLAMACPP_BASE_URL", WHATEVER_IS_SERVED, OpenaiChat, "http://127.0.0.1:8080/v1";
    "vllm" None, "VLLM_BASE_URL", WHATEVER_IS_SERVED, OpenaiChat, "http://127.0.0.1:8000/v1";
    "lmstudio" None, "LMSTUDIO_BASE_URL", WHATEVER_IS_SERVED, OpenaiChat, "http://127.0.0.1:1234/v1";
}

/// Finds a preset by its name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
