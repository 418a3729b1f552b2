//! `candor ctx`

mod get;
mod search;
mod segment;

use candor_context::{Error, Options, Segment};

use crate::assemble;
use crate::cli::{Ctx, Place};
use crate::context::Context;
use crate::fail::{Exit, Fail};
use crate::screen::block_on;

impl From<Error> for Fail {
    fn from(error: Error) -> Self {
        Self::Card(error.failure())
    }
}

/// A segment that was named, and what holds for all that is done with it.
struct Desk<'a> {
    segment: Segment,
    options: Options,
    json: bool,
    context: &'a Context<'a>,
}

impl<'a> Desk<'a> {
    fn open(place: &Place, context: &'a Context<'a>) -> Result<Self, Fail> {
        let loaded = context.load()?;
        let rules = assemble::offline(None, &loaded, context).tools;
        let options = Options { hidden: rules.hidden, allowed: rules.allowed, lock_wait: place.wait };
        let segment = Segment::locate(&context.request.cwd.join(&place.segment))?;
        Ok(Self { segment, options, json: place.json, context })
    }
}

pub(crate) fn run(command: &Ctx, context: &Context<'_>) -> Result<Exit, Fail> {
    match command {
        Ctx::Create(place) => block_on(segment::create(&Desk::open(place, context)?)),
        Ctx::Sync(place) => block_on(segment::sync(&Desk::open(place, context)?)),
        Ctx::RefreshPrime(place) => block_on(segment::refresh_prime(&Desk::open(place, context)?)),
        Ctx::Validate(place) => block_on(segment::validate(&Desk::open(place, context)?)),
        Ctx::Stats(place) => segment::stats(&Desk::open(place, context)?),
        Ctx::Search(wanted) => block_on(search::run(wanted, &Desk::open(&wanted.place, context)?)),
        Ctx::Get(wanted) => get::run(wanted, context),
    }
}
