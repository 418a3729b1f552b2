use std::net::TcpStream;

use xtask::postgres::Server;

#[test]
fn the_postgres_of_a_run_is_there_and_gone_with_it() {
    let server = Server::start().expect("a server");
    let url = server.url();
    let address = url.split_once('@').and_then(|(_, rest)| rest.split_once('/')).expect("an address").0;
    assert!(TcpStream::connect(address).is_ok(), "{url}");
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "{url} is still there");
}
