//! HTML and PDF as text.

use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, Stream, dictionary};

use crate::rig::{Rig, Server, html, open, typed};

async fn shown(page: &str) -> String {
    let server = Server::saying(html(page));
    let shown = Rig::new(open()).page(&server.url("/d/")).await;
    shown["content"].as_str().unwrap().replace(&server.url(""), "http://site")
}

#[tokio::test]
async fn html_becomes_markdown() {
    let cases = [
        (
            "<h1>One</h1><p>two <b>three</b> <em>four</em></p><h3>Five</h3>",
            "# One\n\ntwo **three** *four*\n\n### Five",
        ),
        ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e", "- a\n- b\n  - c\n- d\n\ne"),
        ("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"),
        ("<pre>a\n  b &lt;c&gt;</pre>d <code>e  f</code>", "```\na\n  b <c>\n```\n\nd `e f`"),
        ("<blockquote>a<p>b</blockquote>c", "> a\n\n> b\n\nc"),
        ("<table><tr><th>a<th>b|c<tr><td>1<td>2</table>x", "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\nx"),
        ("<table><tr><td><p>left<p>more</td><td>right</td></tr></table>", "left\n\nmore\n\nright"),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\n: b\nc\n: d"),
        ("a &amp; b &copy; &#x41; &nbsp; c&unknown;", "a & b © A c&unknown;"),
        ("<p>one<p>two</i></b></div>three", "one\n\ntwothree"),
        ("<b><p>one<p>two</b> three", "one\n\ntwo\n\nthree"),
        ("a<b> b </b>c <i></i>d", "a **b** c d"),
    ];
    for (page, markdown) in cases {
        assert_eq!(shown(page).await, markdown, "{page}");
    }
}

#[tokio::test]
async fn links_are_whole_and_others_are_words() {
    let cases = [
        (
            "<a href='x?a=1&amp;b=2'>a</a> <a href=/y>b</a> <a href=//e.org>c</a>",
            "[a](http://site/d/x?a=1&b=2) [b](http://site/y) [c](http://e.org/)",
        ),
        ("<a href='javascript:alert(1)'>a</a> <a href='data:x'>b</a> <a href='#c'>c</a> <a>d</a>", "a b c d"),
        ("<a href=mailto:a@b.c>mail</a><a href=x></a>", "[mail](mailto:a@b.c)"),
        ("<a href=x><h2>A</h2><p>card</a>", "[## A card](http://site/d/x)"),
        ("<base href='https://e.org/f/'><base href=no><a href=x>a</a>", "[a](https://e.org/f/x)"),
        // Where a picture is would only be fetched by somebody who should not.
        ("<img src=http://evil.example/?q=1 alt='a cat'><img src=x>", "[image: a cat]"),
    ];
    for (page, markdown) in cases {
        assert_eq!(shown(page).await, markdown, "{page}");
    }
}

/// Orders to models are put where people do not see them.
#[tokio::test]
async fn what_a_browser_does_not_show_is_not_shown() {
    let hidden = [
        "<script>no</script>",
        "<script>if (a < b) { '</p>no' }</script>",
        "<style>no</style>",
        "<template><p>no</p></template>",
        "<!-- no -->",
        "<p hidden>no</p>",
        "<div hidden><div>no</div>no</div>",
        "<div style='Display : NONE'>no<p>no</div>",
        "<span style=\"color:red;visibility:hidden !important\">no</span>",
        "<span style=opacity:0>no</span>",
        "<span style='font-size: 0px'>no</span>",
        "<span aria-hidden=true>no</span>",
        "<svg><text>no</text><title>no</title></svg>",
        "<iframe>no</iframe>",
        "<textarea>no</textarea>",
        "<select><option>no<option>no</select>",
        "<p hidden>no<p>",
        "<ul><li hidden>no<ul><li>no</ul>no</ul>",
        "<table><tr><td hidden>no<tr hidden><td>no</table>",
        "<img alt=no hidden>",
        "<title>no</title>",
        "<object>no</object>",
    ];
    for hidden in hidden {
        assert_eq!(
            shown(&format!("<body>a {hidden} b")).await.split_whitespace().collect::<Vec<_>>(),
            ["a", "b"],
            "{hidden}"
        );
    }
}

#[tokio::test]
async fn the_title_is_told_apart() {
    let server = Server::saying(html("<html><head><title> A &amp;\n B </title><meta name=x></head><body>c"));
    let page = Rig::new(open()).page(&server.url("/")).await;
    assert_eq!((page["title"].as_str(), page["content"].as_str()), (Some("A & B"), Some("c")));
}

fn document(pages: &[Vec<Operation>]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let parent = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
    let kids: Vec<Object> = pages
        .iter()
        .map(|operations| {
            let content = Content { operations: operations.clone() }.encode().unwrap();
            let mut stream = Stream::new(dictionary! {}, content);
            stream.compress().unwrap();
            let content = document.add_object(stream);
            let page = dictionary! {
                "Type" => "Page", "Parent" => parent, "Contents" => content, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            };
            document.add_object(page).into()
        })
        .collect();
    let count = i64::try_from(kids.len()).unwrap();
    let tree = dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count };
    document.objects.insert(parent, Object::Dictionary(tree));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => parent });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn operation(name: &str, operands: Vec<Object>) -> Operation {
    Operation::new(name, operands)
}

#[tokio::test]
async fn a_pdf_becomes_text_line_by_line() {
    let words = |text: &str| Object::string_literal(text);
    let first = vec![
        operation("BT", vec![]),
        operation("Tf", vec!["F1".into(), 12.into()]),
        operation("Td", vec![100.into(), 600.into()]),
        operation("Tj", vec![words("Hello")]),
        operation("Td", vec![50.into(), 0.into()]),
        operation("Tj", vec![words("there")]),
        operation("Td", vec![0.into(), (-14).into()]),
        operation(
            "TJ",
            vec![Object::Array(vec![words("sec"), 20.into(), words("ond"), (-300).into(), words("line")])],
        ),
        operation("ET", vec![]),
    ];
    let second = vec![
        operation("BT", vec![]),
        operation("Tf", vec!["F1".into(), 12.into()]),
        operation("Tj", vec![Object::String(b"caf\xe9".to_vec(), lopdf::StringFormat::Literal)]),
        operation("ET", vec![]),
    ];
    let server = Server::saying(typed("application/pdf", document(&[first, second])));
    let page = Rig::new(open()).page(&server.url("/")).await;
    assert_eq!(page["content"], "Hello there\nsecond line\n\ncafé");
    assert_eq!(page["type"], "application/pdf");
}

#[tokio::test]
async fn a_pdf_of_many_pages_is_read_in_part_and_says_so() {
    let page = vec![
        operation("BT", vec![]),
        operation("Tf", vec!["F1".into(), 12.into()]),
        operation("Tj", vec![Object::string_literal("x")]),
        operation("ET", vec![]),
    ];
    let server = Server::saying(typed("application/octet-stream", document(&vec![page; 301])));
    let page = Rig::new(open()).page(&server.url("/")).await;
    assert_eq!(page["missing"], "only its first 300 pages were read");
}

#[tokio::test]
async fn a_pdf_of_pictures_says_that_it_has_no_text() {
    let server = Server::saying(typed("application/pdf", document(&[vec![]])));
    let output = Rig::new(open()).fetch(&server.url("/")).await;
    crate::rig::check_failure(&output, candor_protocol::Code::WebContent, "none of its 1 pages holds text");
}

/// A small stream that becomes a large one ends at its limit: the page is left out.
#[tokio::test]
async fn a_pdf_that_is_a_bomb_is_not_unpacked() {
    let draw = operation("Tj", vec![Object::string_literal("a".repeat(1000))]);
    let server = Server::saying(typed("application/pdf", document(&[vec![draw; 10_000]])));
    let output = Rig::new(open()).fetch(&server.url("/")).await;
    crate::rig::check_failure(&output, candor_protocol::Code::WebContent, "none of its 1 pages holds text");
}
