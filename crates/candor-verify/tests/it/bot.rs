//! The fake bot API, asked as bots ask it.

use candor_protocol::CheckResult::{Failed, Passed, Unverifiable};
use candor_sandbox::Sandbox;
use candor_verify::bot::Bot;
use candor_verify::plan::{Probe, ProbeHow};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::probes::{Rig, probe, walled};

const TOKEN: &str = "12345:a-B_c";

/// A request as it goes over the wire, and the status and body that come back.
async fn raw(bot: &Bot, method: &str, path: &str, kind: &str, body: &[u8]) -> (u16, Value) {
    let base = bot.base_url();
    let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), body].concat()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.to_ascii_lowercase().contains("content-type: application/json"), "{head}");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}

/// A call in JSON.
async fn call(bot: &Bot, method: &str, params: Value) -> (u16, Value) {
    raw(bot, "POST", &format!("/bot{TOKEN}/{method}"), "application/json", params.to_string().as_bytes())
        .await
}

/// What a call gives.
async fn good(bot: &Bot, method: &str, params: Value) -> Value {
    let (status, body) = call(bot, method, params).await;
    assert_eq!((status, &body["ok"]), (200, &json!(true)), "{method}: {body}");
    body["result"].clone()
}

/// Why a call is refused.
async fn refusal(bot: &Bot, method: &str, params: Value) -> String {
    let (status, body) = call(bot, method, params).await;
    assert_eq!(
        (body["ok"].clone(), body["error_code"].clone()),
        (json!(false), json!(status)),
        "{method}: {body}"
    );
    format!("{status} {}", body["description"].as_str().unwrap())
}

async fn fake() -> Bot {
    Bot::start(&Sandbox::bare()).await.unwrap()
}

/// The chat that updates come from.
async fn chat(bot: &Bot) -> i64 {
    bot.send("hello");
    let updates = good(bot, "getUpdates", json!({"offset": -1})).await;
    updates[0]["message"]["chat"]["id"].as_i64().unwrap()
}

/// Says something, which the bot fetches.
async fn said(bot: &Bot, text: &str) -> i64 {
    let update = bot.send(text);
    assert!(ids(&good(bot, "getUpdates", json!({})).await).contains(&update));
    update
}

fn ids(updates: &Value) -> Vec<i64> {
    updates.as_array().unwrap().iter().map(|update| update["update_id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn a_message_is_fetched_and_answered() {
    let bot = fake().await;
    let update = bot.send("ping");
    let updates = good(&bot, "getUpdates", json!({})).await;
    assert_eq!(updates[0]["update_id"], json!(update));
    let message = &updates[0]["message"];
    assert_eq!((&message["text"], &message["chat"]["type"]), (&json!("ping"), &json!("private")));
    assert_eq!(message["from"]["id"], message["chat"]["id"]);
    assert_eq!(message["from"]["is_bot"], json!(false));
    assert!(bot.is_taken(update) && bot.answered(update).is_empty());
    let sent = good(&bot, "sendMessage", json!({"chat_id": message["chat"]["id"], "text": "pong"})).await;
    assert_eq!(
        (&sent["text"], &sent["chat"], &sent["from"]["id"]),
        (&json!("pong"), &message["chat"], &json!(12345))
    );
    assert!(sent["message_id"].as_i64() > message["message_id"].as_i64());
    assert_eq!(bot.answers(update, 0).await, ["pong"]);
}

#[tokio::test]
async fn an_answer_belongs_to_what_was_fetched_before_it() {
    let bot = fake().await;
    let first = said(&bot, "one").await;
    let chat = chat(&bot).await;
    good(&bot, "sendMessage", json!({"chat_id": chat, "text": "1"})).await;
    let second = bot.send("two");
    good(&bot, "sendMessage", json!({"chat_id": chat, "text": "still 1"})).await;
    assert_eq!(bot.answered(second), Vec::<String>::new());
    good(&bot, "getUpdates", json!({})).await;
    good(&bot, "sendMessage", json!({"chat_id": chat, "text": "2"})).await;
    good(&bot, "sendMessage", json!({"chat_id": 42, "text": "to somebody else"})).await;
    assert_eq!(bot.answers(first, 1).await, ["1", "still 1", "2"]);
    assert_eq!(bot.answered(second), ["2"]);
    assert_eq!(bot.answered(999), Vec::<String>::new());
}

#[tokio::test]
async fn a_bot_is_quiet_when_it_has_sent_nothing_for_a_while() {
    let bot = fake().await;
    let chat = chat(&bot).await;
    let update = said(&bot, "x").await;
    let long = std::time::Duration::from_secs(600);
    let talking = async {
        for text in ["a", "b"] {
            good(&bot, "sendMessage", json!({"chat_id": chat, "text": text})).await;
        }
    };
    tokio::select! {
        () = bot.quiet(long) => panic!("it is not"),
        () = talking => {}
    }
    bot.quiet(std::time::Duration::from_millis(1)).await;
    assert_eq!(bot.answered(update), ["a", "b"]);
}

#[tokio::test]
async fn updates_are_given_until_they_are_confirmed() {
    let bot = fake().await;
    let (a, b, c) = (bot.send("a"), bot.send("b"), bot.send("c"));
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"limit": 2})).await), [a, b]);
    assert!(bot.is_taken(b) && !bot.is_taken(c));
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"offset": "nonsense"})).await), [a, b, c]);
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"offset": b})).await), [b, c]);
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"offset": 0})).await), [b, c]);
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"offset": -1})).await), [c]);
    assert_eq!(ids(&good(&bot, "getUpdates", json!({"offset": c + 1})).await), [0_i64; 0]);
    assert_eq!(ids(&good(&bot, "getUpdates", json!({})).await), [0_i64; 0]);
    assert!(c > b && b > a);
}

#[tokio::test]
async fn a_request_waits_for_an_update() {
    let bot = fake().await;
    let ((), update, updates) = tokio::join!(
        bot.asked(),
        async {
            bot.asked().await;
            bot.send("late")
        },
        good(&bot, "getUpdates", json!({"timeout": 50})),
    );
    assert_eq!(ids(&updates), [update]);
}

#[tokio::test]
async fn of_two_requests_at_once_the_older_is_ended() {
    let bot = fake().await;
    let older = refusal(&bot, "getUpdates", json!({"timeout": 50}));
    let newer = async {
        bot.asked().await;
        let newer = good(&bot, "getUpdates", json!({"timeout": 50}));
        let sender = async {
            while !bot.calls().iter().any(|line| line.contains("409")) {
                tokio::task::yield_now().await;
            }
            bot.send("x")
        };
        tokio::join!(newer, sender)
    };
    let (older, (newer, update)) = tokio::join!(older, newer);
    let why = "409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
    assert_eq!(older, why);
    assert_eq!(ids(&newer), [update]);
}

#[tokio::test]
async fn a_request_that_was_given_up_disturbs_nobody() {
    let bot = fake().await;
    let base = bot.base_url();
    let mut stream = TcpStream::connect(base.strip_prefix("http://").unwrap()).await.unwrap();
    let request = format!("GET /bot{TOKEN}/getUpdates?timeout=50 HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    bot.asked().await;
    drop(stream);
    let update = bot.send("x");
    assert_eq!(ids(&good(&bot, "getUpdates", json!({})).await), [update]);
}

#[tokio::test]
async fn parameters_come_in_every_form() {
    let bot = fake().await;
    let chat = chat(&bot).await;
    let update = said(&bot, "x").await;
    let path = format!("/bot{TOKEN}/sendMessage");
    let (status, _) = raw(&bot, "GET", &format!("{path}?chat_id={chat}&text=a%20b+c"), "", b"").await;
    assert_eq!(status, 200);
    let form = format!("chat_id={chat}&text=%C3%BC&reply_markup=%7B%7D");
    raw(&bot, "POST", &path, "application/x-www-form-urlencoded", form.as_bytes()).await;
    let part = |name: &str, more: &str, value: &str| {
        format!("--XX\r\ncontent-disposition: form-data; name=\"{name}\"{more}\r\n\r\n{value}\r\n")
    };
    let parts = [
        part("chat_id", "", &chat.to_string()),
        part("caption", "", "a picture"),
        part("photo", "; filename=\"p.png\"\r\ncontent-type: image/png", "\u{1}PNG\r\n--X\r\n"),
        "--XX--\r\n".to_owned(),
    ];
    let photo = format!("/bot{TOKEN}/sendPhoto");
    let kind = "multipart/form-data; boundary=XX";
    let (status, body) = raw(&bot, "POST", &photo, kind, parts.concat().as_bytes()).await;
    assert_eq!((status, &body["result"]["caption"]), (200, &json!("a picture")), "{body}");
    assert!(body["result"]["photo"][0]["file_id"].is_string());
    assert_eq!(bot.answered(update), ["a b c", "ü", "a picture"]);
    let (status, body) = raw(&bot, "POST", &path, "application/json", b"{nonsense").await;
    assert_eq!((status, &body["description"]), (400, &json!("Bad Request: can't parse JSON object")));
    let (status, _) = raw(&bot, "POST", &path, "multipart/form-data", b"x").await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn what_the_real_api_refuses_is_refused_in_its_words() {
    let bot = fake().await;
    let chat = chat(&bot).await;
    let update = said(&bot, "x").await;
    let cases = [
        ("sendMessage", json!({"text": "x"}), "chat_id is empty"),
        ("sendMessage", json!({"chat_id": "", "text": "x"}), "chat_id is empty"),
        ("sendMessage", json!({"chat_id": "nobody", "text": "x"}), "chat not found"),
        ("sendMessage", json!({"chat_id": 0, "text": "x"}), "chat not found"),
        ("sendMessage", json!({"chat_id": chat}), "message text is empty"),
        ("sendMessage", json!({"chat_id": chat, "text": " \n"}), "message text is empty"),
        ("sendMessage", json!({"chat_id": chat, "text": "x".repeat(4097)}), "message is too long"),
        // Two units each.
        ("sendMessage", json!({"chat_id": chat, "text": "😀".repeat(2049)}), "message is too long"),
        (
            "sendMessage",
            json!({"chat_id": chat, "text": "x", "parse_mode": "Latex"}),
            "unsupported parse_mode",
        ),
        (
            "sendMessage",
            json!({"chat_id": chat, "text": "x", "reply_markup": "[]"}),
            "object expected as reply markup",
        ),
        (
            "sendMessage",
            json!({"chat_id": chat, "text": "x", "reply_markup": "{"}),
            "can't parse reply keyboard markup JSON object",
        ),
        (
            "editMessageText",
            json!({"chat_id": chat, "message_id": 999, "text": "x"}),
            "message to edit not found",
        ),
        ("sendPhoto", json!({"chat_id": chat}), "there is no photo in the request"),
        (
            "sendDocument",
            json!({"chat_id": chat, "document": "id", "caption": "x".repeat(1025)}),
            "message caption is too long",
        ),
        ("sendChatAction", json!({"chat_id": chat}), "wrong parameter action in request"),
        ("setWebhook", json!({"url": "nonsense"}), "bad webhook: invalid webhook URL specified"),
    ];
    for (method, params, why) in cases {
        assert_eq!(refusal(&bot, method, params).await, format!("400 Bad Request: {why}"));
    }
    assert!(bot.answered(update).is_empty());
    good(&bot, "sendMessage", json!({"chat_id": chat, "text": "x".repeat(4096)})).await;
    assert_eq!(bot.calls().last().unwrap(), "sendMessage: 200");
    assert!(bot.calls().contains(&"sendMessage: 400 Bad Request: message text is empty".to_owned()));
}

#[tokio::test]
async fn an_edited_message_is_an_answer() {
    let bot = fake().await;
    let chat = chat(&bot).await;
    let update = said(&bot, "x").await;
    let sent = good(&bot, "sendMessage", json!({"chat_id": chat, "text": "working"})).await;
    let edit = json!({"chat_id": chat, "message_id": sent["message_id"], "text": "done"});
    assert_eq!(good(&bot, "editMessageText", edit.clone()).await["text"], json!("done"));
    assert!(
        refusal(&bot, "editMessageText", edit).await.starts_with("400 Bad Request: message is not modified")
    );
    assert_eq!(bot.answered(update), ["working", "done"]);
}

#[tokio::test]
async fn other_methods_are_answered() {
    let bot = fake().await;
    let chat = chat(&bot).await;
    let me = good(&bot, "GETME", json!({})).await;
    assert_eq!((&me["id"], &me["is_bot"]), (&json!(12345), &json!(true)));
    assert!(me["username"].as_str().unwrap().ends_with("bot"));
    for method in ["setMyCommands", "answerCallbackQuery", "deleteMessage", "someNewMethod", "deleteWebhook"]
    {
        assert_eq!(good(&bot, method, json!({})).await, json!(true));
    }
    assert_eq!(good(&bot, "sendChatAction", json!({"chat_id": chat, "action": "typing"})).await, json!(true));
    assert_eq!(good(&bot, "sendDice", json!({"chat_id": chat})).await["chat"]["id"], json!(chat));
    assert_eq!(good(&bot, "getWebhookInfo", json!({})).await["url"], json!(""));
    for path in ["/", "/bot/getMe", "/botTOKEN", "/botTOKEN/", "/botTOKEN/get Me", "/file/botTOKEN/x"] {
        let (status, body) = raw(&bot, "GET", &path.replace(' ', "%20"), "", b"").await;
        assert_eq!(
            (status, body),
            (404, json!({"ok": false, "error_code": 404, "description": "Not Found"})),
            "{path}"
        );
    }
    assert!(!bot.calls().iter().any(|line| line.contains("TOKEN")), "{:?}", bot.calls());
}

#[tokio::test]
async fn a_command_is_marked_as_one() {
    let bot = fake().await;
    bot.send("/start now");
    let updates = good(&bot, "getUpdates", json!({})).await;
    assert_eq!(updates[0]["message"]["entities"], json!([{"type": "bot_command", "offset": 0, "length": 6}]));
}

#[tokio::test]
async fn updates_can_be_thrown_away_or_not_wanted() {
    let bot = fake().await;
    bot.send("old");
    good(&bot, "deleteWebhook", json!({"drop_pending_updates": true})).await;
    assert_eq!(
        ids(&good(&bot, "getUpdates", json!({"allowed_updates": ["callback_query"]})).await),
        [0_i64; 0]
    );
    let update = bot.send("unwanted");
    assert_eq!(ids(&good(&bot, "getUpdates", json!({})).await), [0_i64; 0]);
    assert!(!bot.is_taken(update));
    assert!(bot.calls().iter().any(|line| line.contains("allowed_updates")), "{:?}", bot.calls());
    good(&bot, "getUpdates", json!({"allowed_updates": "[\"message\"]"})).await;
    let update = bot.send("wanted");
    assert_eq!(ids(&good(&bot, "getUpdates", json!({})).await), [update]);
}

#[tokio::test]
async fn a_webhook_is_posted_to_and_may_answer_with_a_call() {
    let bot = fake().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    good(&bot, "setWebhook", json!({"url": url, "secret_token": "s3"})).await;
    bot.asked().await;
    assert_eq!(good(&bot, "getWebhookInfo", json!({})).await["url"], json!(url));
    let why = "409 Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
    assert_eq!(refusal(&bot, "getUpdates", json!({})).await, why);
    let update = bot.send("ping");
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = String::new();
    while !request.ends_with("}}") {
        request.push(char::from(stream.read_u8().await.unwrap()));
    }
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("\r\nx-telegram-bot-api-secret-token: s3\r\n"), "{request}");
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let reply = json!({"method": "sendMessage", "chat_id": body["message"]["chat"]["id"], "text": "pong"})
        .to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", reply.len());
    stream.write_all(format!("{head}{reply}").as_bytes()).await.unwrap();
    assert_eq!(bot.answers(update, 0).await, ["pong"]);
    assert!(bot.is_taken(update));
    good(&bot, "setWebhook", json!({"url": ""})).await;
    good(&bot, "getUpdates", json!({})).await;
}

/// A bot as a shell script with curl: it answers `ping` and refuses to speak of anything else.
const SHELL_BOT: &str = r#"
offset=0
while :; do
  updates=$(curl -s "$API/bot1:x/getUpdates?timeout=50&offset=$offset") || exit 1
  id=$(printf %s "$updates" | sed -n 's/.*"update_id":\([0-9]*\).*/\1/p')
  chat=$(printf %s "$updates" | sed -n 's/.*"chat":{"id":\([0-9]*\).*/\1/p')
  test -n "$id" || continue
  offset=$((id + 1))
  case $updates in
    *'"text":"ping"'*) curl -s -d "chat_id=$chat" --data-urlencode "text=pong!" "$API/bot1:x/sendMessage" ;;
    *'"text":"empty"'*) curl -s -d "chat_id=$chat" -d text= "$API/bot1:x/sendMessage" ;;
  esac
done"#;

fn message(text: &str, expect: Option<&str>) -> Probe {
    let (text, expect) = (text.to_owned(), expect.map(str::to_owned));
    probe(ProbeHow::Message { text, expect, api_base_env: "API".to_owned() })
}

fn hasty(mut probe: Probe) -> Probe {
    probe.timeout = std::time::Duration::from_millis(1_500);
    probe
}

#[tokio::test]
async fn a_bot_is_probed_without_and_behind_walls() {
    for rig in [Rig::bot(|_| Sandbox::bare(), SHELL_BOT).await, Rig::bot(walled, SHELL_BOT).await] {
        let answer =
            rig.check(&message("ping", Some("pong")), Passed, "message \"ping\": the bot answered").await;
        assert_eq!(answer.sample.as_deref(), Some("pong!"));
        rig.check(&message("ping", None), Passed, "message \"ping\": the bot answered").await;
        let said = "message \"ping\": the bot answered \"pong!\", and not \"ping\" within 1.5 s";
        rig.check(&hasty(message("ping", Some("ping"))), Failed, said).await;
        let said = "message \"other\": the bot took the message, but sent no answer within 1.5 s";
        rig.check(&hasty(message("other", None)), Failed, said).await;
        let said = "message \"empty\": the bot took the message, but sent no answer within 1.5 s";
        let answer = rig.check(&hasty(message("empty", None)), Failed, said).await;
        assert!(answer.sample.unwrap().contains("sendMessage: 400 Bad Request: message text is empty"));
    }
}

#[tokio::test]
async fn where_the_bot_has_no_api_nothing_is_known() {
    let rig = Rig::new();
    let said = "message \"x\": the bot was not told of a bot API to use; it must read its address from API";
    rig.check(&message("x", None), Unverifiable, said).await;
}

#[tokio::test]
async fn a_bot_that_ends_is_told() {
    let rig = Rig::bot(|_| Sandbox::bare(), "echo 'missing token'; read go; exit 1").await;
    rig.running.close().await;
    let said = "message \"x\": the service ended before it answered";
    let answer = rig.check(&message("x", None), Failed, said).await;
    assert_eq!(answer.sample.as_deref(), Some("missing token"));
}

#[tokio::test]
async fn a_bot_that_never_asks_for_messages_is_told_from_one_that_does_not_know_the_api() {
    let deaf =
        Rig::bot(|_| Sandbox::bare(), "curl -s $API/bot1:x/getMe > /dev/null; exec cat > /dev/null").await;
    let ignorant = Rig::bot(|_| Sandbox::bare(), "exec cat > /dev/null").await;
    let url = ignorant.bot.as_ref().unwrap().base_url();
    let deaf_said =
        "message \"x\": the bot speaks to the bot API, but did not ask for messages within 10 s".to_owned();
    let ignorant_said = format!(
        "message \"x\": the bot did not speak to the bot API at {url} within 10 s; does it read the address from API?"
    );
    let asked = message("x", None);
    // Both wait for as long as a bot may take to start.
    let (answer, _) = tokio::join!(
        deaf.check(&asked, Failed, &deaf_said),
        ignorant.check(&asked, Unverifiable, &ignorant_said),
    );
    assert_eq!(answer.sample.as_deref(), Some("getMe: 200"));
}
