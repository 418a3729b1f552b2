use candor_testkit::{Rng, mutate};
use reqwest::StatusCode;

use super::Readers;
use crate::fetch::Fetched;

const PDF: &[u8] = b"%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F1 5 0 R>>>>>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/Contents[4 0 R]/MediaBox[0 0 9 9]>>endobj
4 0 obj<</Length 44>>stream
BT /F1 12 Tf 1 0 0 1 9 9 Tm (Hello) Tj ET   
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>endobj
6 0 obj<</Length 57>>stream
1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <48> <0048> endbfchar
endstream endobj
trailer<</Root 1 0 R/Size 7>>
startxref
0
%%EOF
";

const HTML: &[u8] = b"<!doctype html><title>T</title><base href=/d/><table><tr><th>a<td hidden>b</table><ul><li><a href='x?a&amp;b'>c</a><ol><li><pre>d
</pre></ul><p style='display:none'>e<p><b>f<i>g</b>h</i><img alt=i><svg/><script>j</script>&copy;&#1;<blockquote>k";

fn fetched(content_type: &str, bytes: Vec<u8>) -> Fetched {
    Fetched {
        url: "http://example.com/".parse().unwrap(),
        status: StatusCode::OK,
        content_type: content_type.to_owned(),
        bytes,
        is_cut: false,
    }
}

/// Whatever is done to a document, its reader comes back: with text, or with a reason.
#[tokio::test]
async fn damaged_documents_are_text_or_an_error() {
    let readers = Readers::new();
    let mut rng = Rng::new(7);
    let mut read = 0;
    for (content_type, source) in [("application/pdf", PDF), ("text/html", HTML)] {
        let page = readers.read(fetched(content_type, source.to_vec())).await.unwrap();
        assert!(!page.text.is_empty(), "{content_type}");
        for _ in 0..400 {
            let mutant = mutate(&mut rng, source);
            match readers.read(fetched(content_type, mutant)).await {
                Ok(page) => read += usize::from(!page.text.contains('\0')),
                Err(error) => assert!(!error.to_string().contains("makes its reader fail"), "{error}"),
            }
        }
    }
    assert!(read > 400, "{read}");
}
