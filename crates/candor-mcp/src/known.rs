//! What is known of one server without asking it: what every run needs at once, and the rest when somebody looks.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::offer::{Offer, OfferedTool};

/// What a server offered when it was last asked.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) outline: Outline,
    /// All of it, once somebody has looked. Most offers of most runs are looked at by nobody.
    offer: OnceLock<Arc<Offer>>,
    /// All of it as JSON on one line.
    line: Line,
}

/// As much of an offer as every run needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outline {
    /// What the entry of the server runs.
    pub(crate) hash: String,
    /// Whether it speaks the protocol without sessions; one that does not is not asked again.
    pub(crate) is_stateless: bool,
    pub(crate) has_resources: bool,
    pub(crate) has_prompts: bool,
    /// What the server calls its tools, and how many bytes each takes to describe.
    pub(crate) tools: Vec<(String, usize)>,
}

/// A line of a text that others have other lines of.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) text: Arc<String>,
    pub(crate) range: Range<usize>,
}

impl Known {
    /// What a server has just said.
    pub(crate) fn new(hash: &str, offer: Offer, is_stateless: bool) -> Self {
        // An offer is always JSON.
        let text = serde_json::to_string(&offer).unwrap_or_default();
        let line = Line { range: 0..text.len(), text: Arc::new(text) };
        let outline = Outline::of(hash, &offer, is_stateless);
        Self { outline, offer: OnceLock::from(Arc::new(offer)), line }
    }

    /// What was written down about a server.
    pub(crate) fn read(outline: Outline, line: Line) -> Self {
        Self { outline, offer: OnceLock::new(), line }
    }

    /// All of it. Its tools are those of the outline, in their order: where the line is damaged, they are known by their names
    /// until the server is asked again.
    pub(crate) fn offer(&self) -> &Arc<Offer> {
        self.offer.get_or_init(|| {
            let offer = serde_json::from_str(self.line()).ok();
            let fits = |offer: &Offer| self.outline.fits(offer);
            Arc::new(offer.filter(fits).unwrap_or_else(|| self.outline.bare()))
        })
    }

    /// All of it as JSON.
    pub(crate) fn line(&self) -> &str {
        self.line.text.get(self.line.range.clone()).unwrap_or_default()
    }
}

impl Outline {
    fn of(hash: &str, offer: &Offer, is_stateless: bool) -> Self {
        let tool = |tool: &OfferedTool| (tool.name.clone(), tool.description.len() + tool.schema.len());
        Self {
            hash: hash.to_owned(),
            is_stateless,
            has_resources: offer.has_resources,
            has_prompts: !offer.prompts.is_empty(),
            tools: offer.tools.iter().map(tool).collect(),
        }
    }

    fn fits(&self, offer: &Offer) -> bool {
        self.tools.iter().map(|(name, _)| name).eq(offer.tools.iter().map(|tool| &tool.name))
    }

    fn bare(&self) -> Offer {
        let tool = |(name, _): &(String, usize)| OfferedTool {
            name: name.clone(),
            description: String::new(),
            schema: r#"{"type":"object"}"#.to_owned(),
            claims_read_only: false,
        };
        Offer { tools: self.tools.iter().map(tool).collect(), ..Offer::default() }
    }
}
