//! Which package has what.

/// Programs and the Debian packages that have them.
const PACKAGES: &str = include_str!("../../rules/packages.tsv");

/// Python modules and what they are called where packages come from, for those whose names differ.
const MODULES: &str = include_str!("../../rules/modules.tsv");

/// The Debian package that has a program.
pub(crate) fn package(program: &str) -> Option<&'static str> {
    find(PACKAGES, program)
}

/// The package that has a Python module, where it is called differently.
pub(crate) fn module(module: &str) -> Option<&'static str> {
    find(MODULES, module)
}

fn find(table: &'static str, key: &str) -> Option<&'static str> {
    table
        .lines()
        .find_map(|line| line.split_once('\t').filter(|(name, _)| *name == key))
        .map(|(_, value)| value.trim())
}
