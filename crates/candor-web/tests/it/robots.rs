//! What sites say to robots is asked for once, and obeyed unless the owner says otherwise.

use candor_protocol::Code;
use candor_web::{Robots, Web};

use crate::rig::{Answer, Rig, Server, answer, check_failure, html, open, path, redirect, typed};

fn respecting() -> Web {
    Web { robots: Robots::Respect, ..open() }
}

fn site(robots: impl Fn() -> Answer + Send + Sync + 'static) -> Server {
    Server::new(move |head| match path(head) {
        "/robots.txt" => robots(),
        "/sent" => redirect("/private/x"),
        _ => html("page"),
    })
}

fn asked(server: &Server) -> usize {
    server.heads().iter().filter(|head| path(head) == "/robots.txt").count()
}

#[tokio::test]
async fn robots_are_respected_unless_the_owner_says_otherwise() {
    let server = site(|| typed("text/plain", "User-agent: *\nDisallow: /private\n"));
    assert_eq!(Web::default().robots, Robots::Respect);
    let rig = Rig::new(respecting());
    assert_eq!(rig.page(&server.url("/")).await["content"], "page");
    check_failure(&rig.fetch(&server.url("/private/x")).await, Code::WebRobots, "/robots.txt forbids it");
    check_failure(&rig.fetch(&server.url("/sent")).await, Code::WebRobots, "/private/x was not fetched");
    assert_eq!(asked(&server), 1, "it is remembered");
    assert!(server.heads().iter().all(|head| path(head) != "/private/x"));
    assert_eq!(Rig::new(open()).page(&server.url("/private/x")).await["content"], "page");
    assert_eq!(asked(&server), 1, "nobody asked for it");
}

#[tokio::test]
async fn a_site_without_rules_allows_everything_and_one_in_trouble_nothing() {
    let rig = Rig::new(respecting());
    let none = site(|| answer("404 Not Found", "", ""));
    assert_eq!(rig.page(&none.url("/x")).await["content"], "page");
    let trouble = site(|| answer("503 Service Unavailable", "", ""));
    check_failure(&rig.fetch(&trouble.url("/x")).await, Code::WebRobots, "robots.txt");
    let garbage = site(|| Answer { bytes: b"garbage".to_vec(), then: crate::rig::Then::Closes });
    assert_eq!(rig.page(&garbage.url("/x")).await["content"], "page");
}

/// The file is fetched like any page: it cannot lead where no page may lead.
#[tokio::test]
async fn the_rules_of_a_site_cannot_be_fetched_from_inside() {
    let trap = Server::saying(typed("text/plain", "User-agent: *\nDisallow: /\n"));
    let inside = trap.url("/robots.txt");
    let server = site(move || redirect(&inside));
    let only = format!("127.0.0.1:{}", server.address.port()).parse().unwrap();
    let rig = Rig::new(Web { allow_private: vec![only], ..respecting() });
    assert_eq!(rig.page(&server.url("/x")).await["content"], "page");
    assert_eq!(trap.connections(), 0);
}
