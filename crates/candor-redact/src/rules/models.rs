//! Model providers and the services that agents search with.

use crate::{
    rule::{
        OPEN, Rule,
        Step::{Lit, Run},
        Texture,
    },
    set::{ALNUM, HEX, LOWER_ALNUM, URL64, URL64_DOT, UUID, WORD},
};

pub(super) static RULES: &[Rule] = &[
    Rule::token("anthropic-key", "Anthropic API keys", &["sk-ant-api"], &[Run(&URL64, 20, OPEN)]),
    Rule::token("anthropic-admin-key", "Anthropic admin keys", &["sk-ant-admin"], &[Run(&URL64, 20, OPEN)]),
    Rule::token(
        "anthropic-oauth-token",
        "Anthropic OAuth and session tokens",
        &["sk-ant-oat", "sk-ant-ort", "sk-ant-sid"],
        &[Run(&URL64, 20, OPEN)],
    ),
    Rule::token("openai-project-key", "OpenAI project keys", &["sk-proj-"], &[Run(&URL64, 20, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "openai-service-key",
        "OpenAI service-account keys",
        &["sk-svcacct-", "sk-service-"],
        &[Run(&URL64, 20, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("openai-admin-key", "OpenAI admin keys", &["sk-admin-"], &[Run(&URL64, 20, OPEN)])
        .texture(Texture::Mixed),
    Rule::token("openai-session", "OpenAI session keys", &["sess-"], &[Run(&ALNUM, 40, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "sk-key",
        "keys of OpenAI, DeepSeek, Moonshot and others that start with sk-",
        &["sk-"],
        &[Run(&ALNUM, 20, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("openrouter-key", "OpenRouter keys", &["sk-or-v1-", "sk-or-"], &[Run(&URL64, 32, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "sk-family-key",
        "keys of other families that start with sk-",
        &["sk-live-", "sk-test-", "sk-cp-", "sk-kimi-", "sk-helicone-"],
        &[Run(&URL64, 24, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("groq-key", "Groq keys", &["gsk_"], &[Run(&ALNUM, 40, OPEN)]).texture(Texture::Mixed),
    Rule::token("xai-key", "xAI keys", &["xai-"], &[Run(&ALNUM, 60, OPEN)]).texture(Texture::Mixed),
    Rule::context(
        "mistral-key",
        "Mistral keys after their name",
        &["mistral", "codestral"],
        &[Run(&ALNUM, 32, 32)],
    ),
    Rule::token("hugging-face-token", "Hugging Face tokens", &["hf_", "api_org_"], &[Run(&ALNUM, 34, OPEN)]),
    Rule::token("replicate-token", "Replicate tokens", &["r8_"], &[Run(&ALNUM, 37, OPEN)])
        .texture(Texture::Mixed),
    Rule::token("perplexity-key", "Perplexity keys", &["pplx-"], &[Run(&ALNUM, 40, OPEN)])
        .texture(Texture::Mixed),
    Rule::context(
        "cohere-key",
        "Cohere keys after their name",
        &["cohere", "co_api_key"],
        &[Run(&ALNUM, 40, 40)],
    ),
    Rule::context("together-key", "Together AI keys after their name", &["together"], &[Run(&HEX, 64, 64)]),
    Rule::token("together-key-marked", "Together AI keys", &["tgp_v1_"], &[Run(&URL64, 30, OPEN)]),
    Rule::token("fireworks-key", "Fireworks AI keys", &["fw_"], &[Run(&ALNUM, 22, 40)])
        .texture(Texture::Dense),
    Rule::token("nvidia-key", "NVIDIA API keys", &["nvapi-"], &[Run(&URL64, 40, OPEN)]),
    Rule::token(
        "langsmith-key",
        "LangSmith keys",
        &["lsv2_pt_", "lsv2_sk_", "ls__"],
        &[Run(&WORD, 32, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("langfuse-key", "Langfuse keys", &["sk-lf-", "pk-lf-"], &[Run(&UUID, 36, 36)]),
    Rule::token("tavily-key", "Tavily keys", &["tvly-"], &[Run(&URL64, 20, OPEN)]).texture(Texture::Mixed),
    Rule::token("brave-search-key", "Brave Search keys", &["BSA"], &[Run(&URL64, 27, 29)])
        .texture(Texture::Dense),
    Rule::context("kagi-token", "Kagi tokens after their name", &["kagi"], &[Run(&URL64_DOT, 30, OPEN)]),
    Rule::context(
        "serpapi-key",
        "SerpApi and Serper keys after their name",
        &["serpapi", "serp_api", "serper"],
        &[Run(&HEX, 40, 64)],
    ),
    Rule::context(
        "exa-key",
        "Exa keys after their name",
        &["exa_api", "exa-api", "exa_key"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::token("firecrawl-key", "Firecrawl keys", &["fc-"], &[Run(&HEX, 32, 32)]).texture(Texture::Mixed),
    Rule::context(
        "elevenlabs-key",
        "ElevenLabs keys after their name",
        &["elevenlabs", "eleven_labs", "xi-api", "xi_api"],
        &[Run(&HEX, 32, 32)],
    ),
    Rule::token(
        "elevenlabs-key-marked",
        "ElevenLabs keys that start with sk_",
        &["sk_"],
        &[Run(&HEX, 48, 48)],
    ),
    Rule::context(
        "stability-key",
        "Stability AI keys after their name",
        &["stability", "dreamstudio"],
        &[Lit("sk-"), Run(&ALNUM, 48, 48)],
    ),
    Rule::token("voyage-key", "Voyage AI keys", &["pa-"], &[Run(&URL64, 43, 43)]).texture(Texture::Dense),
    Rule::token("jina-key", "Jina AI keys", &["jina_"], &[Run(&URL64, 48, OPEN)]).texture(Texture::Mixed),
    Rule::token("cerebras-key", "Cerebras keys", &["csk-"], &[Run(&LOWER_ALNUM, 40, OPEN)])
        .texture(Texture::Mixed),
    Rule::context("deepgram-key", "Deepgram keys after their name", &["deepgram"], &[Run(&HEX, 40, 40)]),
    Rule::context(
        "assemblyai-key",
        "AssemblyAI keys after their name",
        &["assemblyai", "assembly_ai"],
        &[Run(&HEX, 32, 32)],
    ),
    Rule::context("ai21-key", "AI21 keys after their name", &["ai21"], &[Run(&ALNUM, 32, 32)]),
    Rule::token("pinecone-key", "Pinecone keys", &["pcsk_"], &[Run(&WORD, 40, OPEN)]).texture(Texture::Mixed),
    Rule::token("e2b-key", "E2B keys", &["e2b_"], &[Run(&HEX, 40, 40)]),
    Rule::token("wandb-key", "Weights & Biases keys", &["wandb_v1_"], &[Run(&URL64, 32, OPEN)]),
    Rule::context(
        "wandb-key-in-context",
        "Weights & Biases keys after their name",
        &["wandb"],
        &[Run(&HEX, 40, 40)],
    ),
    Rule::token("modal-token", "Modal tokens", &["ak-", "as-"], &[Run(&ALNUM, 22, 22)])
        .texture(Texture::Dense),
    Rule::context(
        "zhipu-key",
        "Zhipu and Z.ai keys after their name",
        &["zhipu", "bigmodel", "zai_", "glm_"],
        &[Run(&HEX, 32, 32), Lit("."), Run(&ALNUM, 16, 16)],
    ),
];
