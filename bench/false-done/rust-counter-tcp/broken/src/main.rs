use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    for line in BufReader::new(stream.try_clone()?).lines() {
        match line?.trim() {
            "inc" => writeln!(stream, "{}", COUNTER.fetch_add(1, Ordering::SeqCst))?,
            other => writeln!(stream, "error: unknown command {other}")?,
        }
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:18134")?;
    eprintln!("counter ready");
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || serve(stream));
    }
    Ok(())
}
