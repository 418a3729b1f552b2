//! What only starting needed.

#![allow(
    unsafe_code,
    reason = "telling the kernel about memory is unsafe: most advice can lose what is in it"
)]

use std::fs;

use libc::{MADV_DONTNEED, c_void};

/// Gives back the pages of the program that only starting needed, for a process that goes on for a long time: its code was
/// mapped on first use, and most of it is not used again. What is, comes back from the page cache by itself.
///
/// Where that cannot be done, the process is as large as before.
pub fn forget_startup() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let program = fs::read_link("/proc/self/exe").unwrap_or_default();
    let program = program.to_string_lossy();
    for (start, bytes) in maps.lines().filter_map(|line| code(line, &program)) {
        // SAFETY: the range is one whole mapping of our own file that can be executed and not be written. Nothing in it was ever
        // written, so the kernel drops no more than what it reads from the file again.
        unsafe { libc::madvise(start as *mut c_void, bytes, MADV_DONTNEED) };
    }
}

/// Where a mapping is and how large it is, if it holds code of this program.
fn code(line: &str, program: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, mode) = (fields.next()?, fields.next()?);
    if mode != "r-xp" || !line.ends_with(program) || program.is_empty() {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    Some((start, end.checked_sub(start)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_the_program_is_given_back() {
        let exe = "/usr/bin/candor";
        let line = |mode: &str, path: &str| format!("1000-3000 {mode} 00001000 fe:00 42    {path}");
        assert_eq!(code(&line("r-xp", exe), exe), Some((0x1000, 0x2000)));
        // What was written once would be lost: relocated tables are read-only, too.
        for mode in ["r--p", "rw-p", "rwxp", "r-xs"] {
            assert_eq!(code(&line(mode, exe), exe), None, "{mode}");
        }
        assert_eq!(code(&line("r-xp", "/usr/lib/libc.so.6"), exe), None);
        assert_eq!(code("", ""), None);
        assert_eq!(code("7000-9000 r-xp 00000000 00:00 0 [vdso]", ""), None);
    }

    #[test]
    fn a_process_gets_smaller_and_goes_on() {
        let program = fs::read_link("/proc/self/exe").unwrap().display().to_string();
        let code_kib = || {
            let (mut is_code, mut kib) = (false, 0);
            for line in fs::read_to_string("/proc/self/smaps").unwrap().lines() {
                match line.split_ascii_whitespace().collect::<Vec<_>>()[..] {
                    ["Rss:", rss, "kB"] if is_code => kib += rss.parse::<u64>().unwrap(),
                    [name, ..] if name.ends_with(':') => {}
                    _ => is_code = code(line, &program).is_some(),
                }
            }
            kib
        };
        let before = code_kib();
        forget_startup();
        let after = code_kib();
        assert!(after < before, "{after} KiB of code are mapped, and {before} KiB were before");
    }
}
