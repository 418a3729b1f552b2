use super::Rules;

#[track_caller]
fn check(text: &str, allowed: &[&str], forbidden: &[&str]) {
    let rules = Rules::read(text);
    for path in allowed {
        assert!(rules.allow(path), "{path} is allowed by {text:?}");
    }
    for path in forbidden {
        assert!(!rules.allow(path), "{path} is forbidden by {text:?}");
    }
}

#[test]
fn the_longest_rule_decides_and_of_two_the_kinder_one() {
    check(
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c # not this\nAllow: /same\nDisallow: /same\n",
        &["/", "/a/b", "/a/b/d", "/same", "/b"],
        &["/a", "/abc", "/a/c", "/a/b/c", "/a/b/cd?x"],
    );
}

#[test]
fn a_group_for_us_replaces_the_one_for_everybody() {
    let text = "user-agent: *\ndisallow: /\n\nUser-Agent: other\nUser-Agent: Candor\nDisallow: /private\n";
    check(text, &["/", "/public"], &["/private/x"]);
    check("User-agent: candor\nDisallow:\n\nUser-agent: *\nDisallow: /\n", &["/x"], &[]);
    check("User-agent: candorbot\nDisallow: /\n", &["/x"], &[]);
}

#[test]
fn stars_and_ends_are_understood() {
    check(
        "User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y*z\nDisallow: *?session=\n",
        &["/a.pdf?x", "/xyy", "/a", "/pdf"],
        &["/a.pdf", "/d/e.pdf", "/x/1/y/2/z/3", "/q?session=1"],
    );
}

#[test]
fn what_is_no_rule_is_passed_over() {
    check("", &["/"], &[]);
    check("<html>Not found</html>\nDisallow: /\n", &["/"], &[]);
    check("\u{feff}User-agent : *\nCrawl-delay: 5\nSitemap: x\nDisallow : /no\n", &["/"], &["/no"]);
}

/// A rule made of stars takes no more than the product of its length and the path's.
#[test]
fn a_rule_that_is_a_trap_ends() {
    let rule = "/*a".repeat(300);
    let rules = Rules::read(&format!("User-agent: *\nDisallow: {rule}$\n"));
    assert!(rules.allow(&"/a".repeat(299)));
}
