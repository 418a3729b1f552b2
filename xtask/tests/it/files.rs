use xtask::tidy::{File, Tree, files, required_files};

use crate::world::{check, tree};

#[test]
fn large_files_binaries_and_build_outputs_are_found() {
    let tree = Tree {
        files: vec![
            File::new("a.txt", vec![b'x'; 600 * 1024]),
            File::new("b.txt", vec![b'x'; 601 * 1024]),
            File::new("c.bin", [b'a', 0]),
            File::new("d.txt", [0xff, 0xfe]),
            File::new("web/node_modules/e.js", "x"),
        ],
    };
    check(
        &files(&tree),
        &[
            "b.txt:1: 601 KB",
            "c.bin:1: a binary",
            "d.txt:1: a binary",
            "web/node_modules/e.js:1: the output of a build",
        ],
    );
}

#[test]
fn what_a_visitor_expects_must_be_there() {
    check(
        &required_files(&tree(&[])),
        &[
            "ARCHITECTURE.md:1: is not there",
            "CHANGELOG.md:1: is not there",
            "README.md:1: is not there",
            "LICENSE:1: is not there",
        ],
    );
    let rest = [("ARCHITECTURE.md", ""), ("CHANGELOG.md", ""), ("README.md", "")];
    check(&required_files(&tree(&[&rest[..], &[("LICENSE", "")]].concat())), &[]);
    check(&required_files(&tree(&[&rest[..], &[("LICENSE-MIT", ""), ("LICENSE-APACHE", "")]].concat())), &[]);
    check(
        &required_files(&tree(&[&rest[..], &[("LICENSE-MIT", "")]].concat())),
        &["LICENSE:1: is not there"],
    );
}

#[test]
fn the_architecture_stays_readable() {
    let long = "line\n".repeat(401);
    let tree =
        tree(&[("ARCHITECTURE.md", long.as_str()), ("CHANGELOG.md", ""), ("README.md", ""), ("LICENSE", "")]);
    check(&required_files(&tree), &["ARCHITECTURE.md:401: 401 lines; at most 400"]);
}
