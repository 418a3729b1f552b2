//! The walls around a session's commands: planned with the settings, put up when the first command needs them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use candor_sandbox::{Level, Policy, Sandbox};

use crate::Error;
use crate::nested;
use crate::repositories::Repositories;
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
    /// They are put right with the last one who was behind the walls.
    repositories: Repositories,
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

    /// Whether nobody inside is to write anything that is kept.
    pub(crate) fn keep_all(&self) -> bool {
        self.plan.policy.as_ref().is_some_and(|policy| policy.writable.is_empty())
    }

    /// Whether there can be none here, and the owner's word is all that demands none.
    pub(crate) fn are_missing(&self) -> bool {
        let is_too_weak =
            |error: Error| matches!(error, Error::Sandbox(candor_sandbox::Error::TooWeak { .. }));
        self.plan.minimum == Level::None && self.sandbox().is_err_and(is_too_weak)
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

    /// Puts right what those who are still behind them did to the repositories so far, and says what that was. Whoever runs the
    /// next command is told, too.
    #[must_use]
    pub fn put_right(&self) -> Vec<String> {
        self.up.get().map(|up| up.repositories.put_right()).unwrap_or_default()
    }

    /// Looks at the repositories again before somebody begins behind them.
    pub(crate) fn look_again(&self) {
        if let Some(up) = self.up.get() {
            up.repositories.look_again();
        }
    }

    /// Puts right what somebody who has ended did to the repositories; what was done.
    pub(crate) fn put_right_and_tell(&self) -> Vec<String> {
        self.up.get().map(|up| up.repositories.put_right_and_tell()).unwrap_or_default()
    }

    /// Where on the host a path is that somebody inside sees.
    pub fn host_path(&self, seen: &Path) -> PathBuf {
        // Only the temporary directory is another one inside; nothing is put up for any other path.
        let is_remapped =
            self.plan.policy.is_some() && SHARED_TEMPS.iter().any(|temp| seen.starts_with(temp));
        if !is_remapped {
            return seen.to_owned();
        }
        self.sandbox().map_or_else(|_| seen.to_owned(), |sandbox| sandbox.host_path(seen))
    }

    /// How somebody inside calls a path of the host in the session's temporary directory; any other path is called the same.
    pub(crate) fn seen_path(&self, real: &Path) -> PathBuf {
        // Weak walls leave the directory under its own name.
        let temp = self.temp().filter(|temp| self.host_path(Path::new(TEMP)) == *temp);
        let temp = temp.and_then(|temp| temp.canonicalize().ok());
        let below = temp.and_then(|temp| real.strip_prefix(temp).ok().map(Path::to_owned));
        below.map_or_else(|| real.to_owned(), |below| Path::new(TEMP).join(below))
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
        let output = self.up.get().and_then(|up| up.output.as_ref());
        output.inspect(|output| output.make_room(SPILLED_BYTES_MAX));
        Ok(output.map(|output| output.path().to_owned()))
    }

    /// The session's temporary directory on the host, once the walls are up. A path in it is only known then.
    pub(crate) fn temp(&self) -> Option<&Path> {
        self.up.get()?.temp.as_ref().map(Temp::path)
    }

    fn put_up(&self) -> Result<Up, Error> {
        let Some(policy) = self.plan.policy.clone() else {
            let repositories = Repositories::at(&[], &[], &[]);
            // Without a place for it, the whole of a long output is not kept; the command runs all the same.
            let output = Temp::new().ok();
            return Ok(Up { sandbox: Sandbox::bare(), temp: None, output, repositories });
        };
        let failed = |source| Error::file(std::env::temp_dir(), source);
        let (temp, output) = (Temp::new().map_err(failed)?, Temp::new().map_err(failed)?);
        let mut policy = Policy { temp: Some(temp.path().to_owned()), ..policy };
        policy.shown.push(output.path().to_owned());
        let roots: Vec<PathBuf> =
            policy.writable.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let mut nested = nested::below(&roots);
        let mut walled = with_protected(&policy, &roots, &nested);
        let mut sandbox = self.open(&walled)?;
        if sandbox.level() == Level::Landlock && nested.len() > NESTED_BY_RULES_MAX {
            nested.truncate(NESTED_BY_RULES_MAX);
            walled = with_protected(&policy, &roots, &nested);
            sandbox = self.open(&walled)?;
        }
        let repositories = Repositories::at(&roots, &nested, &walled.protected);
        Ok(Up { sandbox, temp: Some(temp), output: Some(output), repositories })
    }

    fn open(&self, policy: &Policy) -> Result<Sandbox, Error> {
        match Sandbox::open(policy, self.plan.minimum) {
            // The owner has said that walls need not be there. Where nothing is to be written, only walls can see to that.
            Err(candor_sandbox::Error::TooWeak { .. })
                if self.plan.minimum == Level::None && !self.keep_all() =>
            {
                Ok(Sandbox::bare())
            }
            opened => Ok(opened?),
        }
    }
}

/// The most that is kept of the long outputs of a session when the next command begins; the oldest go first.
const SPILLED_BYTES_MAX: u64 = 1 << 30;

/// Where Landlock is the only wall, each name beside what is protected is a rule, and there is no room for very many.
const NESTED_BY_RULES_MAX: usize = 64;

/// The policy with what git believes of the repositories below its roots; the first of these is the workspace.
fn with_protected(policy: &Policy, roots: &[PathBuf], nested: &[PathBuf]) -> Policy {
    let mut policy = policy.clone();
    let own = roots.first().into_iter().flat_map(|workspace| nested::protected_besides(workspace));
    let bare = roots.iter().flat_map(|root| nested::protected_bare(root));
    let theirs = nested.iter().flat_map(|folder| nested::protected(folder));
    for path in own.chain(bare).chain(theirs) {
        let is_inside = roots.iter().any(|root| path.starts_with(root));
        if is_inside && !policy.protected.iter().any(|closed| path.starts_with(closed)) {
            policy.protected.push(path);
        }
    }
    policy
}

/// What the session's temporary directory is called inside.
const TEMP: &str = "/tmp";

/// What is private inside.
const SHARED_TEMPS: &[&str] = &["/tmp", "/var/tmp"];
