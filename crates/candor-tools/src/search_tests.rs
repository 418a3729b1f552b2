//! What cannot be seen from outside: a file without an end.

use std::fs::File;

use grep_regex::RegexMatcher;
use grep_searcher::sinks::UTF8;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use tokio_util::sync::CancellationToken;

use super::Cancellable;

/// The device never ends. Its bytes are taken for line breaks, so that nothing but the cancellation ends the search.
#[test]
fn a_file_without_an_end_ends_with_the_call() {
    let file = File::open("/dev/zero").unwrap();
    let cancel = CancellationToken::new();
    let reader = Cancellable { file: &file, cancel: &cancel };
    let matcher = RegexMatcher::new("x").unwrap();
    let mut searcher = SearcherBuilder::new().binary_detection(BinaryDetection::convert(0)).build();
    let ended = std::thread::scope(|scope| {
        let search = scope.spawn(|| searcher.search_reader(&matcher, reader, UTF8(|_, _| Ok(true))));
        cancel.cancel();
        search.join().unwrap()
    });
    assert!(ended.is_err());
}
