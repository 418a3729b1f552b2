//! A provider that is not a preset.

use std::path::PathBuf;

use crate::secret::SecretSource;

word! {
    /// The languages model servers speak.
    pub enum Dialect {
        /// OpenAI's chat completions, which most servers imitate.
        OpenaiChat = "openai-chat",
        /// OpenAI's responses.
        OpenaiResponses = "openai-responses",
        /// Anthropic's messages.
        Anthropic = "anthropic",
        /// Google's Gemini.
        Gemini = "gemini",
        /// Ollama's own.
        Ollama = "ollama",
        /// A script file played back, for demonstrations and tests.
        Scripted = "scripted",
    }
}

section! {
    /// One provider.
    pub struct Provider {
        /// The language its server speaks. Left out, that of the preset of the same name, else openai-chat.
        dialect: Option<Dialect> = None;
        /// Where its server is, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The script to play, where the dialect is scripted.
        script: Option<PathBuf> = None;
        /// Its key.
        api_key: Option<SecretSource> = None;
        /// The model to use when none is named.
        model: Option<String> = None;
    }
}
