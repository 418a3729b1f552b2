//! The closed list of codes.

use candor_protocol::Code;

#[test]
fn codes_are_unique_upper_case_words() {
    let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert!(names.iter().all(|name| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    }));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
}

#[test]
fn a_code_is_found_however_it_is_typed() {
    for typed in ["CONFIG_INVALID", "config_invalid", " Config-Invalid "] {
        assert_eq!(Code::find(typed), Some(Code::ConfigInvalid), "{typed}");
    }
    assert_eq!(Code::find("CONFIG"), None);
    assert_eq!(serde_json::to_value(Code::DiskFull).expect("serializes"), "DISK_FULL");
}
