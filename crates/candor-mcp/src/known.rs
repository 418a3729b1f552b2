//! What is known of one server without asking it: what every run needs at once, and the rest when somebody looks.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::offer::{Offer, OfferedTool};

/// What a server offered when it was last asked.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) outline: Outline,
    /// All of it, once somebody has looked. Most offers of most runs are looked at by nobody.
    offer: OnceLock<Arc<Offer>>,
    line: Line,
}

/// Where all of an offer is, as JSON.
#[derive(Debug)]
pub(crate) enum Line {
    /// Here.
    Made(String),
    /// In a file, from this byte on. The file stays open: another may be put in its place at any time.
    Written(Arc<File>, u64),
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
    /// How long the line is that has all of it.
    pub(crate) bytes: usize,
    /// What the server calls its tools, and how many bytes each takes to describe.
    pub(crate) tools: Vec<(String, usize)>,
}

impl Known {
    /// What a server has just said.
    pub(crate) fn new(hash: &str, offer: Offer, is_stateless: bool) -> Self {
        // An offer is always JSON.
        let line = serde_json::to_string(&offer).unwrap_or_default();
        let outline = Outline::of(hash, &offer, is_stateless, line.len());
        Self { outline, offer: OnceLock::from(Arc::new(offer)), line: Line::Made(line) }
    }

    /// What was written down about a server.
    pub(crate) fn read(outline: Outline, line: Line) -> Self {
        Self { outline, offer: OnceLock::new(), line }
    }

    /// All of it. Its tools are those of the outline, in their order: where the line is damaged, they are known by their names
    /// until the server is asked again.
    pub(crate) fn offer(&self) -> &Arc<Offer> {
        self.offer.get_or_init(|| {
            let offer = self.line().ok().and_then(|line| serde_json::from_slice(&line).ok());
            let fits = |offer: &Offer| self.outline.fits(offer);
            Arc::new(offer.filter(fits).unwrap_or_else(|| self.outline.bare()))
        })
    }

    /// All of it as JSON.
    pub(crate) fn line(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.line {
            Line::Made(line) => Ok(Cow::Borrowed(line.as_bytes())),
            Line::Written(file, at) => {
                let mut line = vec![0; self.outline.bytes];
                file.read_exact_at(&mut line, *at)?;
                Ok(Cow::Owned(line))
            }
        }
    }
}

impl Outline {
    fn of(hash: &str, offer: &Offer, is_stateless: bool, bytes: usize) -> Self {
        let tool = |tool: &OfferedTool| (tool.name.clone(), tool.description.len() + tool.schema.len());
        Self {
            hash: hash.to_owned(),
            is_stateless,
            has_resources: offer.has_resources,
            has_prompts: !offer.prompts.is_empty(),
            bytes,
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
