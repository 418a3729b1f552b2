use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};

mod pages;

fn serve(mut stream: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = first.split_whitespace().nth(1).unwrap_or("/");
    let (status, body) = pages::page(path);
    println!("INFO request path={path} status={status}");
    write!(
        stream,
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:18131")?;
    println!("INFO listening on 127.0.0.1:18131 errors=0");
    for stream in listener.incoming() {
        let stream = stream?;
        std::thread::spawn(move || {
            if let Err(problem) = serve(stream) {
                println!("WARN client left early: {problem}");
            }
        });
    }
    Ok(())
}
