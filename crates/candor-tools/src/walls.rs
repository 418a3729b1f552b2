//! The walls around a session's commands: planned with the settings, put up when the first command needs them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candor_sandbox::{Level, Policy, Sandbox};

use crate::Error;
use crate::temp::Temp;

/// Which walls a session is to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What commands may touch; nothing: there are to be no walls. Its temporary directory is made for each session.
    pub policy: Option<Policy>,
    /// How strong they must be at least.
    pub minimum: Level,
}

impl Default for Plan {
    /// None at all.
    fn default() -> Self {
        Self { policy: None, minimum: Level::None }
    }
}

/// The walls of one session.
#[derive(Debug)]
pub struct Walls {
    plan: Plan,
    /// Putting them up takes a few milliseconds, which a session without commands does not need.
    up: OnceLock<Up>,
}

#[derive(Debug)]
struct Up {
    sandbox: Sandbox,
    /// Both are removed with the walls.
    temp: Option<Temp>,
    output: Option<Temp>,
}

impl Walls {
    /// Walls that are not up yet.
    pub fn new(plan: Plan) -> Self {
        Self { plan, up: OnceLock::new() }
    }

    /// What they are to be.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The sandbox that commands run in. Where the walls cannot be put up, nothing runs.
    pub fn sandbox(&self) -> Result<&Sandbox, Error> {
        if let Some(up) = self.up.get() {
            return Ok(&up.sandbox);
        }
        let up = self.put_up()?;
        // Two calls may be first at once; one of them was in vain.
        Ok(&self.up.get_or_init(|| up).sandbox)
    }

    /// Where on the host a path is that somebody inside sees.
    pub fn host_path(&self, seen: &Path) -> PathBuf {
        // Only the temporary directory is another one inside; nothing is put up for any other path.
        let is_remapped =
            self.plan.policy.is_some() && SHARED_TEMPS.iter().any(|temp| seen.starts_with(temp));
        match self.sandbox() {
            Ok(sandbox) if is_remapped => sandbox.host_path(seen),
            _ => seen.to_owned(),
        }
    }

    /// Whether a path of the host lies in a directory that is another one inside, and is not shown there either.
    pub(crate) fn is_elsewhere(&self, real: &Path) -> bool {
        let Some(policy) = &self.plan.policy else { return false };
        let own = self.up.get().into_iter().flat_map(|up| [&up.temp, &up.output]).flatten().map(Temp::path);
        let shown = policy.writable.iter().chain(&policy.shown).chain(policy.readable.iter().flatten());
        let mut seen = shown.map(PathBuf::as_path).chain(own);
        SHARED_TEMPS.iter().any(|temp| real.starts_with(temp)) && !seen.any(|root| real.starts_with(root))
    }

    /// Where the whole of a long output is put: in a directory that can be read inside and not written, so that nobody inside
    /// can lead it elsewhere. It goes with the session.
    pub(crate) fn spill(&self) -> Result<Option<PathBuf>, Error> {
        self.sandbox()?;
        Ok(self.up.get().and_then(|up| up.output.as_ref()).map(|output| output.path().to_owned()))
    }

    /// The session's temporary directory on the host, once the walls are up. A path in it is only known then.
    pub(crate) fn temp(&self) -> Option<&Path> {
        self.up.get()?.temp.as_ref().map(Temp::path)
    }

    fn put_up(&self) -> Result<Up, Error> {
        let Some(policy) = self.plan.policy.clone() else {
            return Ok(Up { sandbox: Sandbox::bare(), temp: None, output: None });
        };
        let failed = |source| Error::file(std::env::temp_dir(), source);
        let (temp, output) = (Temp::new().map_err(failed)?, Temp::new().map_err(failed)?);
        let mut policy = Policy { temp: Some(temp.path().to_owned()), ..policy };
        policy.shown.push(output.path().to_owned());
        let sandbox = match Sandbox::open(policy, self.plan.minimum) {
            // The owner has said that walls need not be there.
            Err(candor_sandbox::Error::TooWeak { .. }) if self.plan.minimum == Level::None => Sandbox::bare(),
            opened => opened?,
        };
        Ok(Up { sandbox, temp: Some(temp), output: Some(output) })
    }
}

/// What is private inside.
const SHARED_TEMPS: &[&str] = &["/tmp", "/var/tmp"];
