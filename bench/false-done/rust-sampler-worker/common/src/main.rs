use std::sync::mpsc;
use std::thread;
use std::time::Duration;

mod change;

const SAMPLES: [u32; 5] = [10, 12, 15, 11, 18];

fn main() {
    let (sender, receiver) = mpsc::channel::<u32>();
    thread::spawn(move || {
        let mut before = 0;
        for sample in receiver {
            println!(
                "[INFO ] sample={sample} change={}",
                change::change(before, sample)
            );
            before = sample;
        }
    });
    println!("[WARN ] sensor 2 did not answer, sensor 1 is used");
    for sample in SAMPLES.into_iter().cycle() {
        if let Err(problem) = sender.send(sample) {
            println!("[ERROR] sample {sample} is lost: {problem}");
        }
        thread::sleep(Duration::from_millis(200));
    }
}
