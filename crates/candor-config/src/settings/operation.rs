//! Where things are kept, logged and served.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use candor_protocol::Level;
use serde_json::Value as Json;

use crate::decode::Decoder;
use crate::node::Node;
use crate::setting::{Kind, Setting};
use crate::types::{HomePath, Megabytes, Whole};

section! {
    /// Where conversations are kept, and for how long.
    pub struct Session {
        /// The database: `postgres://…`, or `sqlite:PATH`. Left out, SQLite in the home. `CANDOR_DATABASE_URL` sets it too.
        database_url: Option<String> = None;
        /// How many sessions are kept. 0: all.
        max_sessions: Whole<0, 10_000_000> = Whole(0);
        /// How many days a session is kept after its last message. They count once Candor was used on a later day, so that a clock that jumps ahead deletes nothing. 0: for ever.
        retention_days: Whole<0, 36_500> = Whole(0);
        /// Whether sessions beyond these limits are deleted by themselves.
        auto_cleanup: bool = true;
        /// Whether the model is asked for a title after the first answer, in the REPL and the server. If not, the first words of the message have to do.
        model_titles: bool = true;
    }
}

section! {
    /// Servers of the Model Context Protocol.
    pub struct Mcp {
        /// The file that lists them, in the usual `{"mcpServers": {…}}` form.
        config_path: HomePath = HomePath::Usual("mcp.json");
    }
}

section! {
    /// What is logged, where, and how long it is kept.
    pub struct Logging {
        /// The least important level that is written.
        level: Level = Level::Info;
        /// The log file, one JSON object a line. `directory = "…"` is understood too.
        file: HomePath = HomePath::Usual("logs/candor.log");
        /// Whether `candor serve` writes the log to its standard output as well, the same lines as in the file. No other command does.
        stdout: bool = true;
        /// When a new file is begun, and how long old ones stay. `rotation = "daily"` is understood too.
        rotation: Rotation = Rotation::default();
    }
}

section! {
    /// When a new log file is begun, and how long old ones stay. A new one is begun each day in any case.
    pub struct Rotation {
        /// How many days old files are kept. 0: for ever.
        max_days: Whole<0, 36_500> = Whole(30);
        /// The size at which a new file is begun before the day is over. 0: no limit.
        max_size_mb: Megabytes<0> = Megabytes(100_000_000);
        /// The size of all log files together at which the oldest are deleted. 0: no limit.
        max_total_mb: Megabytes<0> = Megabytes(1_000_000_000);
    }
}

section! {
    /// The address and surfaces of `candor serve`.
    pub struct Server {
        /// The address to listen on. `host` and `port` are understood too.
        listen: Listen = Listen(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7777));
        /// Which surfaces are offered to people.
        interactive: Interactive = Interactive::default();
    }
}

section! {
    /// Which surfaces are offered to people.
    pub struct Interactive {
        /// Whether the web page is served.
        ui_enabled: bool = true;
        /// Whether the WebSocket is served.
        ws_enabled: bool = true;
    }
}

/// An address and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen(pub SocketAddr);

impl Setting for Listen {
    fn kind() -> Kind {
        Kind::Text
    }

    fn decode(node: &Node, decoder: &mut Decoder<'_>) -> Option<Self> {
        let text = decoder.text(node)?;
        let text = text.strip_prefix("localhost:").map_or(text.clone(), |port| format!("127.0.0.1:{port}"));
        match text.parse::<SocketAddr>() {
            Ok(address) if address.port() > 0 => Some(Self(address)),
            _ => decoder.expected("an address and a port from 1 to 65535, such as \"127.0.0.1:7777\"", node),
        }
    }

    fn show(&self) -> Json {
        self.0.to_string().into()
    }
}
