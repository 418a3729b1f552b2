//! What we promised, and whether the figures keep it.

use std::fmt;

use super::divan::{Measurement, Unit};

/// The figures of one benchmark target.
#[derive(Debug)]
pub struct Suite {
    /// The package it belongs to.
    pub package: &'static str,
    /// Its name there.
    pub target: &'static str,
    /// What it measured.
    pub measurements: Vec<Measurement>,
}

/// One line of the page: a promise and what became of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// What is measured.
    pub measure: String,
    /// What we promised.
    pub goal: String,
    /// What it is.
    pub measured: String,
    /// Whether that is enough.
    pub met: Met,
}

/// Whether a goal is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// Nobody measured it.
    Unknown,
    /// A figure without a promise.
    NoGoal,
}

struct Goal {
    measure: &'static str,
    package: &'static str,
    /// What the benchmark's name begins with.
    name: &'static str,
    wanted: Wanted,
}

enum Wanted {
    MedianNsMax(f64),
    PerSecondMin(f64, Unit),
    /// The time for each byte at the largest size, as a multiple of that at the smallest.
    GrowthMax(f64),
}

const GOALS: &[Goal] = &[
    Goal {
        measure: "redaction of ordinary log text, all rules on",
        package: "candor-redact",
        name: "log_lines",
        wanted: Wanted::PerSecondMin(200e6, Unit::Bytes),
    },
    Goal {
        measure: "redaction of adversarial input: best time for each byte, largest size against smallest",
        package: "candor-redact",
        name: "adversarial",
        wanted: Wanted::GrowthMax(1.5),
    },
    Goal {
        measure: "a log call at the caller, under load",
        package: "candor-log",
        name: "call_under_load",
        wanted: Wanted::MedianNsMax(2e3),
    },
    Goal {
        measure: "a log call at the caller, soon after another",
        package: "candor-log",
        name: "call_soon_after_another",
        wanted: Wanted::MedianNsMax(2e3),
    },
    Goal {
        measure: "a log call at the caller that wakes the writer from its sleep",
        package: "candor-log",
        name: "call_that_wakes_the_writer",
        wanted: Wanted::MedianNsMax(2e3),
    },
    Goal {
        measure: "log lines to disk, with redaction, sustained",
        package: "candor-log",
        name: "lines_to_disk",
        wanted: Wanted::PerSecondMin(300e3, Unit::Items),
    },
    Goal {
        measure: "config load, the worse of TOML and YAML with every key",
        package: "candor-config",
        name: "example",
        wanted: Wanted::MedianNsMax(1e6),
    },
    Goal {
        measure: "compaction of 10,000 messages, without the model",
        package: "candor-agent",
        name: "compaction",
        wanted: Wanted::MedianNsMax(5e6),
    },
    Goal {
        measure: "the gate's judgement of an ordinary command",
        package: "candor-gate",
        name: "ordinary",
        wanted: Wanted::MedianNsMax(100e3),
    },
    Goal {
        measure: "matching an output of 100 KB against all rules",
        package: "candor-cards",
        name: "output_of_100_kb",
        wanted: Wanted::MedianNsMax(2e6),
    },
    Goal {
        measure: "matching an output of 1 MB against all rules",
        package: "candor-cards",
        name: "output_of_1_mb",
        wanted: Wanted::MedianNsMax(10e6),
    },
    Goal {
        measure: "log scan of a mixed log of 200 MB",
        package: "candor-verify",
        name: "mixed_log",
        wanted: Wanted::PerSecondMin(300e6, Unit::Bytes),
    },
];

/// Holds the figures against the goals. Of several benchmarks that one goal is about, the worst counts.
pub fn judge(suites: &[Suite]) -> Vec<Row> {
    GOALS.iter().map(|goal| goal.judge(suites)).collect()
}

impl Goal {
    fn judge(&self, suites: &[Suite]) -> Row {
        let suites = suites.iter().filter(|suite| suite.package == self.package);
        let measurements = suites.flat_map(|suite| &suite.measurements);
        let about: Vec<&Measurement> =
            measurements.filter(|found| found.name.starts_with(self.name)).collect();
        let worst = self.wanted.worst(&about);
        let met = match worst {
            None => Met::Unknown,
            Some(figure) if self.wanted.is_kept_by(figure) => Met::Yes,
            Some(_) => Met::No,
        };
        Row {
            measure: self.measure.to_owned(),
            goal: self.wanted.to_string(),
            measured: worst.map_or_else(|| "not measured".to_owned(), |figure| self.wanted.shown(figure)),
            met,
        }
    }
}

impl Wanted {
    fn worst(&self, about: &[&Measurement]) -> Option<f64> {
        match self {
            Self::MedianNsMax(_) => about.iter().map(|found| found.median_ns).reduce(f64::max),
            Self::PerSecondMin(_, unit) => {
                about.iter().filter_map(|found| found.per_second(*unit)).reduce(f64::min)
            }
            Self::GrowthMax(_) => growths(about).into_iter().reduce(f64::max),
        }
    }

    fn is_kept_by(&self, figure: f64) -> bool {
        match self {
            Self::MedianNsMax(max) | Self::GrowthMax(max) => figure <= *max,
            Self::PerSecondMin(min, _) => figure >= *min,
        }
    }

    fn shown(&self, figure: f64) -> String {
        match self {
            Self::MedianNsMax(_) => shown_ns(figure),
            Self::PerSecondMin(_, Unit::Bytes) => shown_bytes_rate(figure),
            Self::PerSecondMin(_, Unit::Items) => format!("{:.0}k lines/s", figure / 1e3),
            Self::GrowthMax(_) => shown_ratio(figure),
        }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MedianNsMax(limit) | Self::GrowthMax(limit) => write!(f, "≤ {}", self.shown(*limit)),
            Self::PerSecondMin(limit, _) => write!(f, "≥ {}", self.shown(*limit)),
        }
    }
}

impl Measurement {
    /// The counter of this unit, if the benchmark has one.
    pub fn per_second(&self, unit: Unit) -> Option<f64> {
        self.rates.iter().find(|rate| rate.unit == unit).map(|rate| rate.per_second)
    }
}

/// For each benchmark that ran at several sizes, in growing order: how much longer a byte takes at the last than
/// at the first. The fastest samples are compared: a neighbour that wakes up for one of two medians looks like growth.
fn growths(about: &[&Measurement]) -> Vec<f64> {
    let mut growths = Vec::new();
    for sizes in about.chunk_by(|a, b| without_size(&a.name) == without_size(&b.name)) {
        let best =
            |found: &&Measurement| found.best_rates.iter().find(|rate| rate.unit == Unit::Bytes).copied();
        let rates: Vec<f64> = sizes.iter().filter_map(best).map(|rate| rate.per_second).collect();
        if let [first, .., last] = rates[..] {
            growths.push(first / last);
        }
    }
    growths
}

/// `adversarial/quotes` for both `adversarial/quotes 8 MiB` and `adversarial/quotes/8000`.
fn without_size(name: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let without_unit = name.trim_end_matches(|c: char| c.is_alphabetic()).trim_end();
    if without_unit.ends_with(is_digit) {
        without_unit.trim_end_matches(is_digit).trim_end_matches([' ', '/'])
    } else {
        name
    }
}

pub(super) fn shown_ns(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}

pub(super) fn shown_ratio(ratio: f64) -> String {
    format!("{ratio:.2} ×")
}

pub(super) fn shown_bytes_rate(rate: f64) -> String {
    format!("{:.0} MB/s", rate / 1e6)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { measure, goal, measured, met } = self;
        write!(f, "| {measure} | {goal} | {measured} | {met} |")
    }
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "**no**",
            Self::Unknown => "not measured",
            Self::NoGoal => "–",
        })
    }
}
