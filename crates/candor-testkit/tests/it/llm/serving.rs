//! The server as such: queue, connections, gates, its end.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use candor_testkit::{Dialect, FakeLlm, Fault, Gate, Reply};

use super::client::{Client, Ended, ask, hello};

const CHAT: Dialect = Dialect::OpenaiChat;

#[test]
fn replies_come_in_order_and_then_the_repeated_one() {
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::text("one")).extend([Reply::text("two")]).repeat(Reply::text("again"));
    assert_eq!(fake.left(), 2);
    let said: Vec<String> = (0..4).map(|_| ask(&fake).said(CHAT)).collect();
    assert_eq!(said, ["one", "two", "again", "again"]);
    assert_eq!((fake.left(), fake.connections()), (0, 4));
}

#[test]
fn many_requests_use_one_connection() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.repeat(Reply::text("ok"));
        let mut client = Client::new(&fake);
        for _ in 0..21 {
            assert_eq!(client.ask(dialect, &hello(dialect)).said(dialect), "ok");
        }
        assert_eq!((fake.connections(), fake.requests().len()), (1, 21));
    }
}

#[test]
fn a_fake_without_replies_says_so() {
    let fake = FakeLlm::start(CHAT);
    let got = ask(&fake);
    assert_eq!(got.status, 400);
    assert_eq!(got.json()["error"]["message"], "the fake has no reply left for request 1");
    assert_eq!(fake.requests()[0].refused.as_deref(), Some("the fake has no reply left for request 1"));
}

#[test]
fn a_gate_holds_everything_after_the_first_delta() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        let gate = Gate::new();
        fake.push(Reply::text("first second").deltas(6).gate(&gate));
        let mut client = Client::new(&fake);
        client.send(dialect, &hello(dialect));
        gate.wait_reached();
        client.read_some("first ");
        gate.open();
        let got = client.read();
        assert_eq!(got.said(dialect), "first second", "{dialect:?}");
        let first = got.chunks.iter().position(|chunk| contains(chunk, "first ")).expect("the first delta");
        assert!(!got.chunks[..=first].iter().any(|chunk| contains(chunk, "second\"")), "{dialect:?}");
    }
}

#[test]
fn a_closed_gate_lets_nothing_through() {
    let fake = FakeLlm::start(CHAT);
    let gate = Gate::new();
    fake.push(Reply::text("first second").deltas(6).gate(&gate));
    let mut client = Client::new(&fake);
    client.send(CHAT, &hello(CHAT));
    gate.wait_reached();
    drop(fake);
    let (bytes, _) = client.rest();
    assert!(contains(&bytes, "first ") && !contains(&bytes, "second"), "{}", String::from_utf8_lossy(&bytes));
}

fn contains(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

#[test]
fn an_open_gate_holds_nobody() {
    let fake = FakeLlm::start(CHAT);
    let gate = Gate::new();
    gate.open();
    fake.push(Reply::many_deltas(5, "x").gate(&gate));
    assert_eq!(ask(&fake).said(CHAT), "xxxxx");
}

#[test]
fn a_client_that_leaves_a_held_answer_is_noticed() {
    let gate = Gate::new();
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::text("first second").gate(&gate));
    fake.push(Reply::text("never").fault(Fault::SilenceAfterHead));
    for hangups in 1..=2 {
        let mut client = Client::new(&fake);
        client.send(CHAT, &hello(CHAT));
        fake.wait_for_requests(hangups);
        drop(client);
        fake.wait_for_hangups(hangups);
    }
}

#[test]
fn twenty_thousand_deltas_are_no_work() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::many_deltas(20_000, "word "));
        let mut client = Client::new(&fake);
        let begun = Instant::now();
        client.send(dialect, &hello(dialect));
        client.read_bytes_until_end();
        let took = begun.elapsed();
        println!("{}: 20,000 deltas in {took:?}", dialect.name());
        // Two orders of magnitude above what it takes; only a server that works per delta is this slow.
        assert!(took < Duration::from_secs(5), "{dialect:?} took {took:?}");
    }
}

#[test]
fn many_deltas_are_all_there() {
    for &dialect in Dialect::ALL {
        let fake = FakeLlm::start(dialect);
        fake.push(Reply::many_deltas(3_001, "ab"));
        let got = ask(&fake);
        assert_eq!(got.ended, Ended::Properly);
        assert_eq!(got.said(dialect), "ab".repeat(3_001), "{dialect:?}");
        let with_piece = got.chunks.iter().filter(|chunk| contains(chunk, "\"ab\"")).count();
        assert_eq!(with_piece, 3_001, "{dialect:?}: one chunk a delta");
    }
}

#[test]
fn many_deltas_can_be_cut() {
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::many_deltas(100_000, "ab").fault(Fault::CutAfterDeltas(5_000)));
    let got = ask(&fake);
    assert_eq!((got.said(CHAT).len(), got.ended), (10_000, Ended::Closed));
}

#[test]
fn a_connection_close_is_honoured() {
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::text("ok"));
    let mut client = Client::new(&fake);
    let body = hello(CHAT).to_string();
    client.send_with(CHAT, &[("authorization", "Bearer k"), ("connection", "close")], &body);
    assert_eq!(client.read().said(CHAT), "ok");
    assert_eq!(client.rest(), (Vec::new(), Ended::Closed));
}

#[test]
fn nobody_is_let_in_after_stop_listening_and_those_inside_stay() {
    let fake = FakeLlm::start(CHAT);
    fake.repeat(Reply::text("ok"));
    let mut client = Client::new(&fake);
    client.ask(CHAT, &hello(CHAT));
    fake.stop_listening();
    assert!(TcpStream::connect(host(&fake)).is_err());
    assert_eq!(client.ask(CHAT, &hello(CHAT)).said(CHAT), "ok");
    assert_eq!(fake.connections(), 1);
}

#[test]
fn dropping_the_fake_ends_connections_that_wait_are_held_or_silent() {
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::text("first second").gate(&Gate::new()));
    fake.push(Reply::text("never").fault(Fault::SilenceAfterHead));
    // So much that nobody has room for it: the fake is stuck in a write.
    fake.push(Reply::many_deltas(1_000_000, "word "));
    let mut clients: Vec<Client> = (0..4).map(|_| Client::new(&fake)).collect();
    for (index, client) in clients.iter_mut().take(3).enumerate() {
        client.send(CHAT, &hello(CHAT));
        fake.wait_for_requests(index + 1);
    }
    let host = host(&fake);
    // Returns once every thread has ended: a thread that does not would hang this test.
    drop(fake);
    for client in &mut clients {
        assert_ne!(client.rest().1, Ended::Properly);
    }
    assert!(TcpStream::connect(host).is_err());
}

fn host(fake: &FakeLlm) -> String {
    let url = fake.base_url();
    url.trim_start_matches("http://").split('/').next().expect("a host").to_string()
}

#[test]
fn requests_can_be_waited_for() {
    let fake = FakeLlm::start(CHAT);
    fake.push(Reply::text("ok"));
    std::thread::scope(|scope| {
        scope.spawn(|| ask(&fake));
        assert_eq!(fake.wait_for_requests(1).len(), 1);
    });
}

#[test]
#[should_panic(expected = "CrLf has no meaning in ollama")]
fn a_fault_without_meaning_is_refused() {
    FakeLlm::start(Dialect::Ollama).push(Reply::text("x").fault(Fault::CrLf));
}

#[test]
#[should_panic(expected = "\"overlaoded\" is no kind of error")]
fn a_mistyped_kind_is_refused() {
    let _ = Reply::error("overlaoded", "");
}

#[test]
fn base_addresses_and_names_are_those_of_the_configuration() {
    let ends = [
        (Dialect::OpenaiChat, "openai-chat", "/v1"),
        (Dialect::OpenaiResponses, "openai-responses", "/v1"),
        (Dialect::Anthropic, "anthropic", ""),
        (Dialect::Gemini, "gemini", "/v1beta"),
        (Dialect::Ollama, "ollama", ""),
    ];
    assert_eq!(Dialect::ALL.len(), ends.len());
    for (dialect, name, end) in ends {
        let fake = FakeLlm::start(dialect);
        assert_eq!(dialect.name(), name);
        assert_eq!(fake.base_url(), format!("http://{}{end}", host(&fake)));
    }
}
