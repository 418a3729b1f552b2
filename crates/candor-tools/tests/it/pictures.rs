//! Pictures that are read.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use candor_protocol::Code;

use crate::rig::{Rig, check_failure, check_success};

/// Two by two pixels.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR42mP4z8DA8B+MgBgAHfAD/a4/4jgAAAAASUVORK5CYII=";
const GIF: &[u8] = b"GIF89a\x02\0\x03\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x02\0\x03\0\0\x02\x02\x84Q\0;";
const JPEG: &[u8] =
    b"\xff\xd8\xff\xe0\0\x06JFIF\xff\xc2\0\x0b\x08\x01\x02\x03\x04\x01\x01\x11\0\xff\xda\0\x04\x01\x02pixels\xff\xd9";
const WEBP: &[u8] = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x63\0\0\xc7\0\0";

const MAX: usize = 4 << 20;

fn png() -> Vec<u8> {
    STANDARD.decode(PNG).unwrap()
}

/// What is told of a file, and whether the model sees it.
async fn check(bytes: &[u8], expect: &str, kind: Option<&str>) {
    let rig = Rig::new();
    fs::write(rig.inside("file"), bytes).unwrap();
    let output = rig.read("file").await;
    check_success(&output, expect);
    let seen: Vec<&str> = output.images.iter().map(|image| image.media_type.as_str()).collect();
    assert_eq!(seen, kind.into_iter().collect::<Vec<_>>(), "{expect}");
    if let [image] = output.images.as_slice() {
        assert!(STANDARD.decode(&image.data).unwrap() == bytes, "every byte of it");
    }
    assert_eq!(format!("[{}]", output.for_people), expect, "people read the same line");
}

#[tokio::test]
async fn a_model_sees_what_it_reads() {
    check(&png(), "[image/png, 2x2 pixels, 74 bytes]", Some("image/png")).await;
    check(GIF, "[image/gif, 2x3 pixels, 35 bytes]", Some("image/gif")).await;
    check(JPEG, "[image/jpeg, 772x258 pixels, 37 bytes]", Some("image/jpeg")).await;
    check(WEBP, "[image/webp, 100x200 pixels, 30 bytes]", Some("image/webp")).await;
    // What stands after the end harms nobody.
    let png = [png(), b"more".to_vec()].concat();
    check(&png, "[image/png, 2x2 pixels, 78 bytes]", Some("image/png")).await;
}

#[tokio::test]
async fn one_that_is_damaged_is_told_and_not_shown() {
    let png = png();
    for end in [33, 40, 60, 73] {
        let expect = format!("[image/png, 2x2 pixels, {end} bytes; not shown: it ends too early]");
        check(&png[..end], &expect, None).await;
    }
    let mut garbled = png.clone();
    garbled[45] ^= 1;
    let why = "its bytes are not what its checksum says";
    check(&garbled, &format!("[image/png, 2x2 pixels, 74 bytes; not shown: {why}]"), None).await;
    let mut empty = png;
    empty[19] = 0;
    check(&empty, "[image/png, 0x2 pixels, 74 bytes; not shown: it has no size]", None).await;
    check(&GIF[..30], "[image/gif, 2x3 pixels, 30 bytes; not shown: it ends too early]", None).await;
    check(&JPEG[..35], "[image/jpeg, 772x258 pixels, 35 bytes; not shown: it ends too early]", None).await;
    check(b"\xff\xd8\xff\xe0", "[image/jpeg, 4 bytes; not shown: it has no size]", None).await;
    check(&WEBP[..29], "[image/webp, 29 bytes; not shown: it has no size]", None).await;
    let mut longer = WEBP.to_vec();
    longer[4] += 1;
    check(&longer, "[image/webp, 100x200 pixels, 30 bytes; not shown: it ends too early]", None).await;
}

#[tokio::test]
async fn one_that_is_too_large_is_told_and_not_shown() {
    let mut large = png();
    large.resize(MAX, 0);
    check(&large, "[image/png, 2x2 pixels, 4194304 bytes]", Some("image/png")).await;
    large.resize(5_000_000, 0);
    let why = "only pictures of up to 4194304 bytes are";
    check(&large, &format!("[image/png, 2x2 pixels, 5000000 bytes; not shown: {why}]"), None).await;
}

#[tokio::test]
async fn one_that_is_hidden_stays_hidden() {
    let mut rig = Rig::new();
    fs::write(rig.inside("chart.png"), png()).unwrap();
    rig.context.rules.hidden = vec![rig.inside("chart.png")];
    let output = rig.read("chart.png").await;
    check_failure(&output, Code::ToolBlocked);
    assert!(output.images.is_empty());
}

#[tokio::test]
async fn one_with_too_many_pixels_is_told_and_not_shown() {
    let why = "not shown: only pictures of up to 8000 pixels on a side are";
    let mut wide = png();
    wide[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
    check(&wide, &format!("[image/png, 100000x2 pixels, 74 bytes; {why}]"), None).await;
    let mut high = GIF.to_vec();
    high[8..10].copy_from_slice(&8_001_u16.to_le_bytes());
    check(&high, &format!("[image/gif, 2x8001 pixels, 35 bytes; {why}]"), None).await;
    high[8..10].copy_from_slice(&8_000_u16.to_le_bytes());
    check(&high, "[image/gif, 2x8000 pixels, 35 bytes]", Some("image/gif")).await;
}
