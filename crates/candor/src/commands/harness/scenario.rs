//! What a harness runs: the usual scenarios, or those of `.candor/harness.yaml`.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use candor_cards::{Record, quote};
use candor_protocol::{Code, Failure};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

use crate::fail::Fail;

const FILE: &str = ".candor/harness.yaml";
/// The largest file of scenarios.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// How long a scenario may take that does not say.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a harness runs when nobody says otherwise.
const USUAL: &[(&str, &str)] = &[
    ("help", "candor ctx --help"),
    ("sync", "candor ctx sync -s {segment}"),
    ("search", "candor ctx search -s {segment} -q context"),
    ("get", "candor ctx get -s {segment} --ids {ids} --pd-report"),
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Run these after the usual ones instead of in their place.
    #[serde(default)]
    usual: bool,
    scenarios: Vec<Scenario>,
}

/// One command and what is expected of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    /// What it is called.
    pub(super) name: String,
    /// The shell line. `{segment}` and `{ids}` stand for what they say, quoted.
    pub(super) run: String,
    /// Whether the harness fails when it does.
    #[serde(default = "yes")]
    pub(super) required: bool,
    #[serde(default)]
    timeout: Option<String>,
    #[serde(default)]
    expect: Expect,
}

/// What is expected of a command.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    #[serde(default)]
    exit: i32,
    /// A pattern that must be found.
    #[serde(default)]
    stdout: Option<String>,
    #[serde(default)]
    stderr: Option<String>,
    /// The code of the card.
    #[serde(default)]
    code: Option<String>,
}

const fn yes() -> bool {
    true
}

/// The scenarios of a directory.
pub(super) fn read(directory: &Path) -> Result<Vec<Scenario>, Fail> {
    let usual = || USUAL.iter().map(|(name, run)| Scenario::new(name, run));
    let path = directory.join(FILE);
    let bytes = match fs::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(usual().collect()),
        Err(error) => return Err(Failure::file(&path, &error).into()),
    };
    let invalid = |problem: String| {
        Failure::new(Code::HarnessInvalid).with("path", path.display()).with("problem", problem)
    };
    if bytes > FILE_BYTES_MAX {
        return Err(invalid(format!("it is larger than {FILE_BYTES_MAX} bytes")).into());
    }
    let text = fs::read_to_string(&path).map_err(|error| Failure::file(&path, &error))?;
    let file: File = serde_saphyr::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    for scenario in &file.scenarios {
        scenario.check().map_err(|problem| invalid(format!("scenario {}: {problem}", scenario.name)))?;
    }
    if file.scenarios.is_empty() && !file.usual {
        return Err(invalid("it has no scenarios".to_owned()).into());
    }
    Ok(usual().filter(|_| file.usual).chain(file.scenarios).collect())
}

/// A pattern for lines: `^` and `$` are line ends.
fn pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).multi_line(true).build()
}

impl Scenario {
    pub(super) fn new(name: &str, run: &str) -> Self {
        Self {
            name: name.to_owned(),
            run: run.to_owned(),
            required: true,
            timeout: None,
            expect: Expect::default(),
        }
    }

    fn check(&self) -> Result<(), String> {
        for pattern in self.expect.stdout.iter().chain(&self.expect.stderr) {
            self::pattern(pattern).map_err(|error| error.to_string())?;
        }
        match &self.timeout {
            Some(text) if candor_config::duration(text).is_none() => {
                Err(format!("`{text}` is no duration such as 30s"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout.as_deref().and_then(candor_config::duration).unwrap_or(TIMEOUT)
    }

    /// The same for this segment and these ids.
    pub(super) fn filled(mut self, segment: &str, ids: &[String]) -> Self {
        self.run = self.run.replace("{segment}", &quote(segment)).replace("{ids}", &quote(&ids.join(",")));
        self
    }

    /// What is not as expected.
    pub(super) fn wrong(&self, record: &Record, stdout: &str, stderr: &str) -> Option<String> {
        if record.returncode != self.expect.exit {
            return Some(format!("exit code {}, expected {}", record.returncode, self.expect.exit));
        }
        for (stream, text, wanted) in
            [("stdout", stdout, &self.expect.stdout), ("stderr", stderr, &self.expect.stderr)]
        {
            // The pattern was checked when it was read.
            if let Some(regex) = wanted.as_deref().and_then(|wanted| pattern(wanted).ok())
                && !regex.is_match(text)
            {
                return Some(format!("{stream} does not match {}", wanted.as_deref().unwrap_or_default()));
            }
        }
        let code = record.error_card.as_ref().map(|card| card.code.as_str());
        match &self.expect.code {
            Some(wanted) if code != Some(wanted) => {
                Some(format!("the card is {}, expected {wanted}", code.unwrap_or("none")))
            }
            _ => None,
        }
    }
}
