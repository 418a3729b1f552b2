//! The web: what may be fetched, and who is asked for searches.

use crate::secret::SecretSource;

word! {
    /// What the word of a site to robots means, from most to least considerate.
    pub enum Robots {
        /// What `robots.txt` forbids is not fetched.
        Respect = "respect",
        /// It is not asked for.
        Ignore = "ignore",
    }
}

word! {
    /// Who is asked for searches.
    pub enum SearchEngine {
        /// A `SearXNG` of one's own: wants its `base_url`.
        Searxng = "searxng",
        /// Brave Search.
        Brave = "brave",
        /// Tavily.
        Tavily = "tavily",
        /// Kagi.
        Kagi = "kagi",
    }
}

section! {
    /// What the agent may fetch, and who is asked for searches. Commands have a network of their own: `sandbox.network`.
    pub struct Web {
        /// Whether the agent has `web_fetch`, which reads public pages.
        fetch: bool = true;
        /// What may be fetched although it is not public: `"host"`, `"10.0.0.0/8"`, each also with a port, as in `"localhost:8080"`.
        allow_private: Vec<String> = Vec::new();
        /// Whether 198.18.0.0/15 counts as public: some proxies answer every name with an address of it.
        allow_benchmarking: bool = false;
        /// What `robots.txt` means: respect fetches nothing that it forbids, ignore does not ask for it.
        robots: Robots = Robots::Respect;
        /// The way out of the network, where there is only one: `"http://host:port"`. The environment is not asked.
        proxy: Option<String> = None;
        /// Who is asked for searches.
        search: WebSearch = WebSearch::default();
    }
}

section! {
    /// Who is asked for searches.
    pub struct WebSearch {
        /// The engine. Left out, the agent has no `web_search`.
        engine: Option<SearchEngine> = None;
        /// Where it is, where that is not the engine's own address.
        base_url: Option<String> = None;
        /// The key it wants. Better out of this file: `api_key_env`, `api_key_file` or `api_key_command`.
        api_key: Option<SecretSource> = None;
    }
}
