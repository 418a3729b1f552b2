//! The reading list: a part that is generated, between two marks, and all that people write around it.

use std::fs;
use std::io::{ErrorKind, Read};

use crate::config::Config;
use crate::lock::Lock;
use crate::reading_list::reading_list;
use crate::{Error, Made, Options, Segment, atomic};

/// What stands before and after the generated part.
const BEGIN: &str = "<!-- candor: generated, made anew by `candor ctx refresh-prime` -->";
const END: &str = "<!-- candor: end -->";

/// No reading list is as long.
const BYTES_MAX: u64 = 1 << 20;

/// Makes the reading list anew: the whole of it where it is missing, else the part between the marks. What people wrote
/// is kept.
pub async fn refresh(segment: &Segment, options: &Options) -> Result<(String, Made), Error> {
    segment.check_ctx()?;
    let config =
        Config::read(segment)?.ok_or_else(|| Error::NotInitialized { path: segment.root().to_owned() })?;
    let _lock = Lock::take(segment, options).await?;
    let name = format!("_ctx/{}", crate::segment::prime_name(&config.segment));
    if make_missing(segment, &config, options)? == Made::New {
        return Ok((name, Made::New));
    }
    let path = segment.prime_path(&config.segment);
    let found = fs::symlink_metadata(&path).map_err(Error::io(&path))?;
    if !found.is_file() {
        return Err(Error::Io { path, source: ErrorKind::IsADirectory.into() });
    }
    if found.len() > BYTES_MAX {
        return Err(Error::Io { path, source: ErrorKind::FileTooLarge.into() });
    }
    let mut text = String::new();
    let opened = crate::source::open(&path).map_err(Error::io(&path))?;
    opened.take(BYTES_MAX).read_to_string(&mut text).map_err(Error::io(&path))?;
    let refreshed = with_generated(&text, &reading_list(segment, &config, options)?);
    if refreshed == text {
        return Ok((name, Made::Kept));
    }
    atomic::replace(&path, |file| file.write_all(refreshed.as_bytes()))?;
    Ok((name, Made::Refreshed))
}

/// Makes it if it is missing.
pub(crate) fn make_missing(segment: &Segment, config: &Config, options: &Options) -> Result<Made, Error> {
    let path = segment.prime_path(&config.segment);
    match path.symlink_metadata() {
        Ok(_) => return Ok(Made::Kept),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(source) => return Err(Error::Io { path, source }),
    }
    let name = segment.root().file_name().unwrap_or_default().to_string_lossy();
    let head = format!(
        "# Reading list: {}\n\nWhat to read first in this folder. Write before and after the marked part whatever helps; \
         it is kept.\n",
        name.replace(char::is_control, " ")
    );
    let text = with_generated(&head, &reading_list(segment, config, options)?);
    atomic::create(&path, text.as_bytes())?;
    Ok(Made::New)
}

/// The text with another generated part. Where the marks are not one pair, those that are there are taken out, and the
/// part is put at the end: nothing that a person wrote may come to stand between two marks.
fn with_generated(text: &str, generated: &str) -> String {
    let part = format!("{BEGIN}\n{}\n{END}", generated.trim_end());
    if text.matches(BEGIN).count() == 1
        && text.matches(END).count() == 1
        && let Some((before, rest)) = text.split_once(BEGIN)
        && let Some((_, after)) = rest.split_once(END)
    {
        return format!("{before}{part}{after}");
    }
    let kept: String =
        text.split_inclusive('\n').filter(|line| !matches!(line.trim(), BEGIN | END)).collect();
    let kept = kept.replace(BEGIN, "").replace(END, "");
    let between = match kept.as_str() {
        "" => "",
        kept if kept.ends_with("\n\n") => "",
        kept if kept.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{kept}{between}{part}\n")
}
