//! Reads the table that divan prints.
//!
//! ```text
//! throughput     fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ ordinary    4.15 ms       │ 5.1 ms        │ 4.2 ms        │ 4.3 ms        │ 100     │ 100
//! │              241.1 MB/s    │ 196.2 MB/s    │ 238.3 MB/s    │ 232.9 MB/s    │         │
//! ```
//!
//! The tree on the left is drawn with the same line that separates the columns, so a row is cut where the header
//! says that the first column begins, never at the first line.

/// One benchmark of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The path through the tree: `adversarial/1000000`.
    pub name: String,
    /// The median time of one iteration.
    pub median_ns: f64,
    /// The median of each counter.
    pub rates: Vec<Rate>,
    /// Each counter in the fastest sample, which other work on the machine disturbed least.
    pub best_rates: Vec<Rate>,
}

/// How much of something gets done in a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// How much.
    pub per_second: f64,
    /// Of what.
    pub unit: Unit,
}

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Whatever the benchmark calls an item.
    Items,
}

/// Where `median` stands among the columns.
const MEDIAN: usize = 2;
const FIRST_COLUMN: &str = "fastest";
/// How many characters one level of the tree takes.
const LEVEL_CHARS: usize = 3;

/// Every benchmark in divan's output; anything else there is passed over.
pub fn parse(output: &str) -> Vec<Measurement> {
    let mut measurements: Vec<Measurement> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut column = None;
    for line in output.lines() {
        if let Some(at) = first_column(line) {
            column = Some(at);
            continue;
        }
        let Some(Row { tree, fastest, median }) = column.and_then(|column| cut(line, column)) else {
            continue;
        };
        if let Some((depth, name)) = branch(&tree) {
            path.truncate(depth);
            path.push(name);
            if let Some(median_ns) = nanoseconds(&median) {
                let (rates, best_rates) = (Vec::new(), Vec::new());
                measurements.push(Measurement { name: path.join("/"), median_ns, rates, best_rates });
            }
        } else if let (Some(last), Some(rate)) = (measurements.last_mut(), rate(&median)) {
            last.rates.push(rate);
            last.best_rates.extend(self::rate(&fastest));
        }
    }
    measurements
}

/// The column, in characters, where a header's first figure begins.
fn first_column(line: &str) -> Option<usize> {
    let (before, after) = line.split_once(FIRST_COLUMN)?;
    after.contains("│ median").then(|| before.chars().count())
}

struct Row {
    tree: String,
    fastest: String,
    median: String,
}

/// The parts of a row that are of use; nothing where the line is no row.
fn cut(line: &str, column: usize) -> Option<Row> {
    let tree: String = line.chars().take(column).collect();
    let cells: String = line.chars().skip(column).collect();
    let cell = |number| Some(cells.split('│').nth(number)?.trim().to_owned());
    Some(Row { tree, fastest: cell(0)?, median: cell(MEDIAN)? })
}

/// How deep a branch hangs and what it is called; nothing for a row that continues the one above it.
fn branch(tree: &str) -> Option<(usize, String)> {
    let at = tree.find("├─ ").or_else(|| tree.find("╰─ "))?;
    let depth = tree[..at].chars().count() / LEVEL_CHARS;
    let name: String = tree[at..].chars().skip(LEVEL_CHARS).collect();
    Some((depth, name.trim().to_owned()))
}

fn nanoseconds(cell: &str) -> Option<f64> {
    let (number, unit) = cell.split_once(' ')?;
    let factor = match unit {
        "ps" => 1e-3,
        "ns" => 1.0,
        "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

fn rate(cell: &str) -> Option<Rate> {
    let (number, unit) = cell.split_once(' ')?;
    let unit = unit.strip_suffix("/s")?;
    let (scale, unit) = match unit.strip_suffix("item") {
        Some(scale) => (scale, Unit::Items),
        None => (unit.strip_suffix('B')?, Unit::Bytes),
    };
    let factor = match scale {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "Ki" => 1024.0,
        "Mi" => 1024.0 * 1024.0,
        "Gi" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(Rate { per_second: number.parse::<f64>().ok()? * factor, unit })
}
