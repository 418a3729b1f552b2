//! A home, a workspace, an environment and flags to load from.

use std::path::PathBuf;

use candor_config::{Env, Error, Flag, Loaded, Request, load};
use candor_testkit::Home;

pub(crate) struct Case {
    pub(crate) home: Home,
    env: Vec<(String, String)>,
    flags: Vec<Flag>,
    file: Option<PathBuf>,
}

impl Case {
    pub(crate) fn new() -> Self {
        let home = Home::new();
        let env = vec![
            ("CANDOR_HOME".to_owned(), home.path().display().to_string()),
            ("HOME".to_owned(), home.user().display().to_string()),
        ];
        Self { home, env, flags: Vec::new(), file: None }
    }

    pub(crate) fn toml(text: &str) -> Self {
        Self::new().with("config.toml", text)
    }

    pub(crate) fn yaml(text: &str) -> Self {
        Self::new().with("config.yaml", text)
    }

    pub(crate) fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        self.home.write(name, text);
        self
    }

    pub(crate) fn workspace(self, text: &str) -> Self {
        self.home.write_in_workspace(".candor/config.toml", text);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn flag(mut self, name: &'static str, key: &'static str, value: &str) -> Self {
        self.flags.push(Flag { name, key, value: value.to_owned() });
        self
    }

    pub(crate) fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.file = Some(path.into());
        self
    }

    pub(crate) fn request(&self) -> Request {
        Request {
            env: Env::of(self.env.clone()),
            cwd: self.home.workspace(),
            workspace: None,
            file: self.file.clone(),
            flags: self.flags.clone(),
        }
    }

    pub(crate) fn try_load(&self) -> Result<Loaded, Error> {
        load(&self.request())
    }

    #[track_caller]
    pub(crate) fn load(&self) -> Loaded {
        match self.try_load() {
            Ok(loaded) => loaded,
            Err(error) => panic!("refused: {error}\n{:?}", error.failure()),
        }
    }

    /// The problems as a person sees them, the throw-away folder cut out.
    #[track_caller]
    pub(crate) fn refused(&self) -> String {
        let error = self.try_load().map(|loaded| loaded.config).expect_err("should be refused");
        let failure = error.failure();
        let text = failure.fact("problems").or_else(|| failure.fact("problem")).unwrap_or_default();
        self.plain(text)
    }

    /// The warnings, one after the other.
    #[track_caller]
    pub(crate) fn warnings(&self) -> String {
        let warnings: Vec<String> = self.load().warnings.iter().map(ToString::to_string).collect();
        self.plain(&warnings.join("\n"))
    }

    fn plain(&self, text: &str) -> String {
        let home = format!("{}/", self.home.path().display());
        let workspace = format!("{}/", self.home.workspace().display());
        text.replace(&home, "").replace(&workspace, "workspace/")
    }

    /// The value and the origin of a key.
    #[track_caller]
    pub(crate) fn shown(&self, key: &str) -> (String, String) {
        let loaded = self.load();
        let shown = loaded.shown().into_iter().find(|shown| shown.key == key);
        let shown = shown.unwrap_or_else(|| panic!("no key {key}"));
        (self.plain(&shown.value.to_string()), self.plain(&shown.label))
    }
}
