//! Which variables make a program do something else, and which of all variables a process may see.

/// Variables whose value is a program that others run.
const PROGRAMS: &[&str] = &[
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_MAN_VIEWER",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSCLOSE",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SYSTEMD_PAGER",
    "VISUAL",
];

/// Variables that put foreign code into every program.
const CODE: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "GCONV_PATH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "JAVA_TOOL_OPTIONS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "PERL5OPT",
    "PYTHONINSPECT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
];

/// Variables that say where some programs find what they load, what they are called with, or where they write secrets
/// down. A command may set one for itself in plain sight; none is handed on unseen.
const SETTINGS: &[&str] = &[
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CLASSPATH",
    "CORECLR_PROFILER",
    "DOTNET_STARTUP_HOOKS",
    "ELECTRON_RUN_AS_NODE",
    "ENV",
    "FPATH",
    "GEM_HOME",
    "GEM_PATH",
    "GIT_DIR",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "IFS",
    "JAVA_OPTS",
    "JDK_JAVA_OPTIONS",
    "LOCPATH",
    "LUA_INIT",
    "MAKEFLAGS",
    "MAVEN_OPTS",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "PERL5DB",
    "PERL5LIB",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONUSERBASE",
    "RES_OPTIONS",
    "RUBYLIB",
    "RUBYSHELL",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "SSLKEYLOGFILE",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// The same, by their beginning.
const SETTINGS_PREFIXES: &[&str] = &[
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

/// Whether a variable of this name makes an ordinary program run or load something else. No list can let it through: whoever may set one of these could
/// run the command directly. Without regard to case: npm reads its variables in either, and none of these names is anything else in the other.
pub fn is_hijacking(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let tables = [PROGRAMS, CODE, SETTINGS];
    tables.iter().any(|table| table.contains(&name.as_str()))
        || SETTINGS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether the value of this variable is a program that others run. A shell tells `PAGER` from `pager`.
pub(crate) fn names_a_program(name: &str) -> bool {
    PROGRAMS.contains(&name)
}

/// Whether this variable puts foreign code into every program.
pub(crate) fn puts_code_into_programs(name: &str) -> bool {
    CODE.contains(&name)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    !NO_SECRETS.contains(&name.as_str())
        && (name.split('_').any(|word| SECRET_WORDS.contains(&word))
            || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}
