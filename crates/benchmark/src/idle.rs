//! `-I`: open the connections and wait, to see what a connection costs a server that has nothing to
//! do.

use std::io::{ErrorKind, Read};

use mio::{Events, Interest, Poll, Token};

use crate::failure::{Failure, describe};
use crate::load::{self, Plan, TICK};
use crate::report::{Console, Progress};

/// Waits until the server closes a connection.
pub(crate) fn wait(plan: &Plan<'_>, console: &mut Console<'_>) -> Result<(), Failure> {
    let clients = plan.options.clients;
    writeln!(
        console.out,
        "Creating {clients} idle connections and waiting forever (Ctrl+C when done)"
    )
    .and_then(|()| console.out.flush())
    .map_err(Failure::Output)?;
    let mut streams = load::connect(plan)?;
    let io = |error: &std::io::Error| Failure::Io(describe(error));
    let mut poll = Poll::new().map_err(|error| io(&error))?;
    for (index, stream) in streams.iter_mut().enumerate() {
        poll.registry()
            .register(stream, Token(index), Interest::READABLE)
            .map_err(|error| io(&error))?;
    }
    let mut progress = Progress::new(console.out, console.terminal);
    let mut events = Events::with_capacity(1024);
    let mut buffer = [0; 1024];
    loop {
        progress.show(&format!("clients: {clients}"));
        match poll.poll(&mut events, Some(TICK)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result.map_err(|error| io(&error))?,
        }
        for event in &events {
            let stream = &mut streams[event.token().0];
            loop {
                match stream.read(&mut buffer) {
                    Ok(0) => return Err(Failure::Closed),
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(Failure::io(&error)),
                }
            }
        }
    }
}
