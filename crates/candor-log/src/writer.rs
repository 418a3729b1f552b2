//! The thread that masks lines and writes them.

use std::io::Write;
use std::mem::{self, Discriminant};
use std::panic::{AssertUnwindSafe, catch_unwind};

use candor_protocol::Level;
use candor_redact::Redactor;

use crate::file::LogFile;
use crate::line::{Head, Line};
use crate::mask::mask;
use crate::queue::{Batch, More, Queue};
use crate::stamp::Stamp;
use crate::{Clock, Error, Mirror, Options, Trouble};

/// The buffer of masked lines keeps this much between batches.
const MASKED_BYTES_KEPT: usize = 1 << 20;

/// Writes batches until the queue ends.
pub(crate) fn run(queue: &Queue, mut sink: Sink) {
    sink.guarded(Sink::begin);
    let mut batch = Batch::default();
    while queue.exchange(&mut batch) == More::Maybe {
        sink.guarded(|sink| sink.write(&batch));
        // By itself, so that a panic over the lines does not take their number with it.
        sink.guarded(|sink| sink.count_dropped(batch.dropped));
    }
    sink.guarded(Sink::finish);
    queue.close();
}

/// Where batches go.
pub(crate) struct Sink {
    file: LogFile,
    mirror: Mirror,
    redactor: Redactor,
    clock: Clock,
    trouble: Trouble,
    told: Vec<Discriminant<Error>>,
    masked: Vec<u8>,
    stamp: Stamp,
    /// Lines that are lost and of which the file does not know yet.
    lost: u64,
    /// Lines that would be lost if writing them panicked now.
    at_risk: u64,
}

impl Sink {
    pub(crate) fn new(file: LogFile, options: Options) -> Self {
        let Options { mirror, redactor, clock, trouble, .. } = options;
        let (told, masked) = (Vec::new(), Vec::new());
        Self {
            file,
            mirror,
            redactor,
            clock,
            trouble,
            told,
            masked,
            stamp: Stamp::new(),
            lost: 0,
            at_risk: 0,
        }
    }

    /// What is handed in (the mirror, the redactor, the clock, the callback) may panic. That costs a batch, not the
    /// log.
    fn guarded(&mut self, act: impl FnOnce(&mut Self)) {
        if catch_unwind(AssertUnwindSafe(|| act(self))).is_err() {
            self.lost += mem::take(&mut self.at_risk);
            let error = Error::Panicked { path: self.file.path().to_owned() };
            let _ = catch_unwind(AssertUnwindSafe(|| self.tell(&error)));
        }
    }

    fn begin(&mut self) {
        self.file.prune();
        self.tell_file_trouble();
    }

    fn write(&mut self, batch: &Batch) {
        self.at_risk = batch.lines;
        let mut masked = mem::take(&mut self.masked);
        masked.clear();
        mask(&self.redactor, &batch.bytes, &mut masked);
        self.report_lost();
        self.append(&masked);
        self.mirror(&masked);
        masked.shrink_to(MASKED_BYTES_KEPT);
        self.masked = masked;
    }

    /// Lines that were dropped while those of the batch filled the queue: the file says so after them.
    fn count_dropped(&mut self, dropped: u64) {
        self.lost += dropped;
        self.report_lost();
    }

    fn append(&mut self, lines: &[u8]) {
        let result = self.file.append(lines);
        self.at_risk = 0;
        if let Err(unwritten) = result {
            let missing = lines.get(unwritten.written_bytes..).unwrap_or_default();
            self.lost += missing.split_inclusive(|&byte| byte == b'\n').count() as u64;
            self.tell(&unwritten.error);
        }
        self.tell_file_trouble();
    }

    /// Says in the log how many lines are missing from it, as soon as it can be said and whatever the level: a log must
    /// not look complete when it is not.
    fn report_lost(&mut self) {
        if self.lost == 0 {
            return;
        }
        let lost = self.lost;
        let bytes = self.own_line("log_dropped", |line| line.value("count", lost));
        match self.file.append(&bytes) {
            Ok(()) => {
                self.lost = 0;
                self.mirror(&bytes);
            }
            Err(unwritten) => self.tell(&unwritten.error),
        }
    }

    /// A mirror that fails once is not tried again: the usual reason is a pipe that nobody reads any more. The file says
    /// so, for whoever looks into it because the mirror is silent.
    fn mirror(&mut self, lines: &[u8]) {
        let Mirror::To(mut writer) = mem::take(&mut self.mirror) else { return };
        match writer.write_all(lines).and_then(|()| writer.flush()) {
            Ok(()) => self.mirror = Mirror::To(writer),
            Err(source) => {
                let line = self.own_line("log_mirror_ended", |line| line.text("reason", &source.to_string()));
                self.append(&line);
                self.tell(&Error::Mirror { path: self.file.path().to_owned(), source });
            }
        }
    }

    /// A line that the log says about itself.
    fn own_line(&mut self, event: &str, fill: impl FnOnce(&mut Line<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        let stamp = self.stamp.at(self.clock.now());
        let mut line = Line::begin(&mut bytes, Head { stamp, level: Level::Warn, module: "log", event });
        fill(&mut line);
        line.end();
        bytes
    }

    fn finish(&mut self) {
        self.report_lost();
        if self.lost > 0 {
            let count = mem::take(&mut self.lost);
            self.tell(&Error::LinesDropped { path: self.file.path().to_owned(), count });
        }
    }

    fn tell_file_trouble(&mut self) {
        if let Some(error) = self.file.take_trouble() {
            self.tell(&error);
        }
    }

    /// Passes trouble on, once for each kind.
    fn tell(&mut self, error: &Error) {
        let kind = mem::discriminant(error);
        if !self.told.contains(&kind) {
            self.told.push(kind);
            self.trouble.tell(error);
        }
    }
}
