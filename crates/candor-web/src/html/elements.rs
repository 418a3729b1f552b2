//! What is known about elements.

/// Elements whose content is not for people who read.
const SKIPPED: &[&str] = &[
    "applet", "audio", "canvas", "colgroup", "datalist", "frameset", "head", "iframe", "math", "noembed",
    "noframes", "object", "script", "select", "style", "svg", "template", "textarea", "title", "video",
];

/// Elements that have no content.
const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
];

/// Elements that stand on lines of their own, and end a paragraph that is open.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];

pub(super) fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name)
}

pub(super) fn is_void(name: &str) -> bool {
    VOID.contains(&name)
}

pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// Whether an element says that it is not to be seen.
pub(super) fn is_hidden(attribute: &impl Fn(&str) -> Option<String>) -> bool {
    if attribute("hidden").is_some() || attribute("aria-hidden").is_some_and(|value| value == "true") {
        return true;
    }
    let Some(style) = attribute("style") else { return false };
    let style: String = style.to_ascii_lowercase().split_whitespace().collect();
    let says = |property: &str, values: &[&str]| {
        style.split(';').any(|rule| {
            let (name, value) = rule.split_once(':').unwrap_or_default();
            name == property && values.contains(&value.trim_end_matches("!important"))
        })
    };
    let none = ["0", "0.0", "0px", "0pt", "0em", "0rem", "0%"];
    says("display", &["none"])
        || says("visibility", &["hidden", "collapse"])
        || says("opacity", &none)
        || says("font-size", &none)
}
