//! What is known about each kind of project. One file each; a new kind is a new file and a line in [`ALL`].

mod c;
mod deno;
mod dotnet;
mod elixir;
mod go;
mod java;
mod node;
mod node_parts;
mod node_service;
mod node_tests;
mod perl;
mod php;
mod python;
mod python_service;
mod ruby;
mod rust;
mod shell;
mod swift;

use super::draft::Draft;

/// Each adds what it finds to the plan. The order is that of the stacks in the plan.
pub(super) const ALL: &[fn(&mut Draft<'_>)] = &[
    rust::detect,
    node::detect,
    deno::detect,
    python::detect,
    go::detect,
    java::detect,
    ruby::detect,
    php::detect,
    dotnet::detect,
    elixir::detect,
    swift::detect,
    c::detect,
    perl::detect,
    shell::detect,
];

pub(super) use php::packages as php_packages;
