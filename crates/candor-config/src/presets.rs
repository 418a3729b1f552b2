//! The providers that need no table of their own.

/// A provider known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The variable that holds its key; local servers need none.
    pub key_variable: Option<&'static str>,
    /// The variable that moves it to another address.
    pub base_url_variable: &'static str,
    /// A model to begin with.
    pub model: &'static str,
}

const fn preset(
    name: &'static str,
    key_variable: Option<&'static str>,
    base_url_variable: &'static str,
    model: &'static str,
) -> Preset {
    Preset { name, key_variable, base_url_variable, model }
}

/// All presets, in the order in which their keys are looked for.
pub const PRESETS: &[Preset] = &[
    preset("anthropic", Some("ANTHROPIC_API_KEY"), "ANTHROPIC_BASE_URL", "claude-sonnet-4-5"),
    preset("openai", Some("OPENAI_API_KEY"), "OPENAI_BASE_URL", "gpt-5"),
    preset("deepseek", Some("DEEPSEEK_API_KEY"), "DEEPSEEK_BASE_URL", "deepseek-chat"),
    preset("gemini", Some("GEMINI_API_KEY"), "GEMINI_BASE_URL", "gemini-2.5-pro"),
    preset("openrouter", Some("OPENROUTER_API_KEY"), "OPENROUTER_BASE_URL", "openrouter/auto"),
    preset("groq", Some("GROQ_API_KEY"), "GROQ_BASE_URL", "llama-3.3-70b-versatile"),
    preset("xai", Some("XAI_API_KEY"), "XAI_BASE_URL", "grok-4"),
    preset("mistral", Some("MISTRAL_API_KEY"), "MISTRAL_BASE_URL", "mistral-large-latest"),
    preset("ollama", None, "OLLAMA_BASE_URL", "llama3.2"),
    preset("llama.cpp", None, "LLAMACPP_BASE_URL", "default"),
    preset("vllm", None, "VLLM_BASE_URL", "default"),
    preset("lmstudio", None, "LMSTUDIO_BASE_URL", "default"),
];

/// Finds a preset by its name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
