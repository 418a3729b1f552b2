//! Which variables a process may see.

/// Variables that make an ordinary program run or load something of the caller's choice, or that write its secrets
/// down. No list can let them through: whoever may set one of these could run the command directly.
const HIJACKING: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CLASSPATH",
    "CORECLR_PROFILER",
    "DOTNET_STARTUP_HOOKS",
    "EDITOR",
    "ELECTRON_RUN_AS_NODE",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GEM_HOME",
    "GEM_PATH",
    "GIT_ASKPASS",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "IFS",
    "JAVA_OPTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "LUA_INIT",
    "MAKEFLAGS",
    "MANPAGER",
    "MAVEN_OPTS",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "PAGER",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "RES_OPTIONS",
    "RUBYLIB",
    "RUBYOPT",
    "RUBYSHELL",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "SHELLOPTS",
    "BASHOPTS",
    "SSH_ASKPASS",
    "SSLKEYLOGFILE",
    "SUDO_ASKPASS",
    "SYSTEMD_PAGER",
    "VISUAL",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// The same, by their beginning.
const HIJACKING_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "GIT_CONFIG",
    "NPM_CONFIG_",
    "CARGO_REGISTRIES_",
    "CARGO_TARGET_",
    "COR_",
];

/// Words that make a name a secret's, wherever they stand between underscores.
const SECRET_WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "BEARER",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "KEY",
    "KEYS",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PRIVATE",
    "PWD",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
];

/// Endings that do the same without an underscore before them, as in `PGPASSWORD`.
const SECRET_ENDINGS: &[&str] =
    &["APIKEY", "CREDENTIALS", "PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// Names that the words above would catch although they hold no secret: two directories, and a socket that the
/// owner's list has to name before anything can use it.
const NO_SECRETS: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK"];

/// The variables that are on the list, in the order they come, without those that hijack a program and those whose
/// name is a secret's, whatever the list says.
///
/// An entry of the list is a name, or the beginning of one with a `*` after it.
pub fn filtered<'a>(
    vars: impl Iterator<Item = (&'a str, &'a str)>,
    allowed: &[String],
) -> Vec<(String, String)> {
    let passes = |name: &str| is_listed(name, allowed) && !is_hijacking(name) && !is_secret(name);
    vars.filter(|(name, _)| passes(name)).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn is_listed(name: &str, allowed: &[String]) -> bool {
    let matches = |entry: &String| match entry.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == entry,
    };
    allowed.iter().any(matches)
}

/// Whether a variable of this name makes an ordinary program run or load something else. Without regard to case: npm reads its variables in either, and none of these names is anything else in the other.
pub fn is_hijacking(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    HIJACKING.contains(&name.as_str()) || HIJACKING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    !NO_SECRETS.contains(&name.as_str())
        && (name.split('_').any(|word| SECRET_WORDS.contains(&word))
            || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}
