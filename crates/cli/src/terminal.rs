//! The terminal below the line editor: Ctrl-C, single keys, and passwords.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::SIGINT;

/// Whether output is for a person. Test suites set `FAKETTY` to see what a person would see.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal() || std::env::var_os("FAKETTY").is_some()
}

pub(crate) fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Ctrl-C as something to poll for, instead of the end of the process.
pub(crate) struct Interrupts {
    pipe: UnixStream,
}

impl Interrupts {
    /// Catches SIGINT from now on.
    pub(crate) fn watch() -> io::Result<Self> {
        let (pipe, sender) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGINT, sender)?;
        Ok(Interrupts { pipe })
    }

    /// Forgets the signals so far and says whether there was one.
    pub(crate) fn take(&self) -> bool {
        let mut buffer = [0; 64];
        let mut any = false;
        while let Ok(1..) = (&self.pipe).read(&mut buffer) {
            any = true;
        }
        any
    }
}

/// A flag that Ctrl-C raises, for loops that end with a summary.
pub(crate) fn interrupt_flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, Arc::clone(&flag))?;
    Ok(flag)
}

/// What [`wait`] saw first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Interrupted,
    Server,
    Input,
}

/// Whether [`wait`] ends when there is something to read on standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    Server,
    ServerAndInput,
}

/// Sleeps until the server sends, Ctrl-C is pressed or, if wanted, standard input has something.
pub(crate) fn wait(
    server: BorrowedFd<'_>,
    interrupts: &Interrupts,
    watch: Watch,
) -> io::Result<Event> {
    let stdin = io::stdin();
    let mut fds = vec![
        PollFd::new(interrupts.pipe.as_fd(), PollFlags::POLLIN),
        PollFd::new(server, PollFlags::POLLIN),
    ];
    if watch == Watch::ServerAndInput {
        fds.push(PollFd::new(stdin.as_fd(), PollFlags::POLLIN));
    }
    const EVENTS: [Event; 3] = [Event::Interrupted, Event::Server, Event::Input];
    loop {
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) => {}
            Err(nix::errno::Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
        }
        // Hang-ups and errors count as readable: reading is what reports them.
        let ready = fds
            .iter()
            .zip(EVENTS)
            .find(|(fd, _)| fd.any() == Some(true));
        if let Some((_, Event::Interrupted)) = ready {
            interrupts.take();
            return Ok(Event::Interrupted);
        }
        if let Some((_, event)) = ready {
            return Ok(event);
        }
    }
}

/// While this lives, keys reach standard input one by one and are not shown.
pub(crate) struct KeyByKey {
    before: Option<Termios>,
}

impl KeyByKey {
    /// Does nothing if standard input is no terminal.
    pub(crate) fn enter() -> Self {
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).ok();
        if let Some(before) = &before {
            let mut mode = before.clone();
            mode.local_flags
                .remove(LocalFlags::ECHO | LocalFlags::ICANON);
            let _ = tcsetattr(&stdin, SetArg::TCSANOW, &mode);
        }
        KeyByKey { before }
    }
}

impl Drop for KeyByKey {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, before);
        }
    }
}

/// Asks for a password, showing a star for each character.
pub(crate) fn read_password(prompt: &str) -> io::Result<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    if !stdin_is_terminal() {
        let mut line = Vec::new();
        stdin.read_until(b'\n', &mut line)?;
        while let Some(b'\n' | b'\r') = line.last() {
            line.pop();
        }
        return Ok(line);
    }
    let mut stderr = io::stderr();
    write!(stderr, "{prompt}")?;
    stderr.flush()?;
    let _mode = KeyByKey::enter();
    let mut password: Vec<u8> = Vec::new();
    loop {
        let mut byte = [0];
        if stdin.read(&mut byte)? == 0 {
            break;
        }
        match byte[0] {
            b'\n' | b'\r' | 0x04 => break,
            // Backspace takes a whole UTF-8 character.
            0x08 | 0x7f => {
                let is_continuation = |byte: &u8| byte & 0xc0 == 0x80;
                while password.last().is_some_and(is_continuation) {
                    password.pop();
                }
                if password.pop().is_some() {
                    write!(stderr, "\x08 \x08")?;
                }
            }
            byte => {
                password.push(byte);
                if byte & 0xc0 != 0x80 {
                    write!(stderr, "*")?;
                }
            }
        }
        stderr.flush()?;
    }
    writeln!(stderr)?;
    Ok(password)
}
