//! A server in the process of the test: no sockets, a clock that the test sets, and replies as short
//! texts.
//!
//! A script is commands separated by ` ; `, with the quoting of redis-cli; its result is the replies,
//! separated likewise, each written as RESP's first byte and the value: `+OK`, `-ERR text`, `:1`,
//! `$text` (quoted where it is empty or has other than printable characters), `_` for null and `*-`
//! for RESP2's null array, `[a b]` for arrays, `~[a b]` for sets, `{k: v}` for maps, `>[a]` for
//! pushes, `,1.5` for doubles, `#t` for booleans, `=txt:text` for verbatim strings.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use config::Config;
use engine::journal::Journal;
use engine::spec::Command;
use engine::{Batch, Clock, NoHost, Server, Session, Worker};
use parking_lot::Mutex;
use resp::client::{Decoder, Value};

/// When the clock of a [`Fixture`] starts: a Unix time in milliseconds.
pub const START_MS: u64 = 1_000_000_000_000;

/// A server with a connection.
pub struct Fixture {
    worker: Worker,
    session: Session,
    effects: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    /// A server with these commands and default parameters.
    pub fn new(commands: impl IntoIterator<Item = &'static Command>) -> Fixture {
        let config = Arc::new(Config::new());
        let clock = Clock::Manual(START_MS.into());
        let server = Arc::new(Server::new(config, commands, 1, clock, Box::new(NoHost)));
        let effects = Arc::<Mutex<Vec<String>>>::default();
        server.set_journal(Box::new(Recorder(effects.clone())));
        let session = Session::new(&server, Default::default(), || ());
        Fixture {
            worker: Worker::new(server, 0),
            session,
            effects,
        }
    }

    /// The server.
    pub fn server(&self) -> &Arc<Server> {
        self.worker.server()
    }

    /// Moves the clock on.
    pub fn advance_ms(&self, by: u64) {
        if let Clock::Manual(now_ms) = &self.server().clock {
            now_ms.fetch_add(by, Relaxed);
        }
    }

    /// Removes what has expired, as the server does in the background.
    pub fn sweep(&self) {
        let mut sweep = self.worker.sweep();
        while sweep.slice(&self.worker) {}
    }

    /// Does what the server does every 50 ms: asks how much memory is used, and evicts what commands
    /// have left.
    pub fn tick(&self) {
        self.server().tick();
        while self.worker.evict_slice() {}
    }

    /// Executes a script, its commands in one batch, and returns the replies.
    ///
    /// # Panics
    /// If a quote is not closed or a reply is no RESP.
    pub fn run(&mut self, script: &str) -> String {
        let commands: Vec<Vec<Vec<u8>>> = script
            .split(" ; ")
            .map(|line| resp::request::split_quoted(line.as_bytes()).expect("quotes are closed"))
            .collect();
        let mut batch = Batch::default();
        for command in &commands {
            batch.words.extend(command.iter().map(Vec::as_slice));
            batch.ends.push(batch.words.len());
        }
        let mut out = Vec::new();
        self.worker.execute(&mut self.session, &batch, &mut out);
        let mut decoder = Decoder::default();
        decoder.feed(&out);
        let mut replies = Vec::new();
        while let Some(value) = decoder.next().expect("replies are RESP") {
            replies.push(show(&value));
        }
        replies.join(" ; ")
    }

    /// The effects since the last call, each as the words of a command.
    pub fn effects(&self) -> Vec<String> {
        std::mem::take(&mut self.effects.lock())
    }

    /// Executes a script and compares the replies.
    ///
    /// # Panics
    /// If the replies are others than `want`.
    #[track_caller]
    pub fn check(&mut self, script: &str, want: &str) {
        let got = self.run(script);
        assert_eq!(got, want, "replies to: {script}");
    }
}

/// A journal that writes down what it is told.
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Journal for Recorder {
    fn append(&self, _: usize, effects: &mut dyn Iterator<Item = &[Vec<u8>]>) {
        let text = |words: &[Vec<u8>]| {
            let words: Vec<_> = words
                .iter()
                .map(|word| word.escape_ascii().to_string())
                .collect();
            words.join(" ")
        };
        self.0.lock().extend(effects.map(text));
    }
}

/// The short text of a reply.
pub fn show(value: &Value) -> String {
    let list = |values: &[Value]| values.iter().map(show).collect::<Vec<_>>().join(" ");
    match value {
        Value::Simple(text) => format!("+{}", String::from_utf8_lossy(text)),
        Value::Error(text) => format!("-{}", String::from_utf8_lossy(text)),
        Value::Integer(value) => format!(":{value}"),
        Value::Bulk(text) => format!("${}", quoted(text)),
        Value::Array(values) => format!("[{}]", list(values)),
        Value::Set(values) => format!("~[{}]", list(values)),
        Value::Push(values) => format!(">[{}]", list(values)),
        Value::Map(pairs) => {
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(key, value)| format!("{}: {}", show(key), show(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Verbatim { format, text } => {
            format!(
                "={}:{}",
                String::from_utf8_lossy(format),
                text.escape_ascii()
            )
        }
        Value::Null | Value::NullBulk => "_".to_owned(),
        Value::NullArray => "*-".to_owned(),
        Value::Double(text) => format!(",{text}"),
        Value::Boolean(value) => format!("#{}", if *value { 't' } else { 'f' }),
        Value::BigNumber(text) => format!("({text}"),
        Value::Attribute { value, .. } => show(value),
        Value::BlobError(text) => format!("!{}", String::from_utf8_lossy(text)),
    }
}

fn quoted(text: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_graphic();
    if !text.is_empty() && text.iter().all(is_plain) {
        return String::from_utf8_lossy(text).into_owned();
    }
    format!("\"{}\"", text.escape_ascii())
}
