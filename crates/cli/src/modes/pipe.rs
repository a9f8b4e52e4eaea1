//! `--pipe`: sends standard input as it is, which must be protocol, and counts the replies.
//!
//! One thread sends while another reads, since a server stops reading from a client that does not
//! take its replies. The end is an ECHO of random bytes: when they come back, everything before has
//! been answered, however many commands that was.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use resp::client::Value;

use crate::connection::{Lost, Stream, reason};
use crate::session::{Session, print};
use crate::{Failure, complain};

const MARK_BYTES: usize = 20;

/// How often the reader looks whether time is up.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(session: &mut Session) -> Result<u8, Failure> {
    let timeout = session.options.pipe_timeout;
    let connection = session.connect_or_fail()?;
    let mark = random_mark();
    let all_sent = Arc::new(AtomicBool::new(false));
    let sender = connection.sender().map_err(Lost::Io)?;
    let sender_done = Arc::clone(&all_sent);
    // Not joined: it may wait for input when the server is already gone.
    let sending = thread::spawn(move || send_all(sender, &mark, &sender_done));

    let (mut errors, mut replies) = (0_u64, 0_u64);
    let mut last_reply = Instant::now();
    loop {
        match connection.receive_within(CHECK_INTERVAL) {
            Ok(None) => {}
            Ok(Some(Value::Push(_))) => last_reply = Instant::now(),
            Ok(Some(value)) => {
                last_reply = Instant::now();
                if value.as_bytes() == Some(&mark) && all_sent.load(Ordering::Acquire) {
                    print(b"Last reply received from server.\n")?;
                    break;
                }
                replies += 1;
                if let Some(error) = value.as_error() {
                    complain(&String::from_utf8_lossy(error));
                    errors += 1;
                }
            }
            Err(lost) => {
                complain(&format!("Error reading replies from server: {lost}"));
                return Ok(1);
            }
        }
        if sending.is_finished() && !all_sent.load(Ordering::Acquire) {
            // It has told why.
            return Ok(1);
        }
        let waits = all_sent.load(Ordering::Acquire) && !timeout.is_zero();
        if waits && last_reply.elapsed() > timeout {
            complain(&format!(
                "No replies for {} seconds: exiting.",
                timeout.as_secs_f64()
            ));
            errors += 1;
            break;
        }
    }
    print(format!("errors: {errors}, replies: {replies}\n").as_bytes())?;
    Ok(u8::from(errors > 0))
}

/// Copies standard input to the server and ends with the mark.
fn send_all(mut server: Stream, mark: &[u8; MARK_BYTES], all_sent: &AtomicBool) {
    let mut stdin = io::stdin().lock();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stdin.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                if let Err(error) = server.write_all(&buffer[..count]) {
                    complain(&format!("Error writing to the server: {}", reason(&error)));
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                complain(&format!("Error reading from stdin: {}", reason(&error)));
                return;
            }
        }
    }
    // Told and flagged before sending, because the answer may be quicker than this thread.
    let _ = print(b"All data transferred. Waiting for the last reply...\n");
    all_sent.store(true, Ordering::Release);
    // The leading newline ends a last command that lacks its own.
    let mut last = b"\r\n*2\r\n$4\r\nECHO\r\n$20\r\n".to_vec();
    last.extend_from_slice(mark);
    last.extend_from_slice(b"\r\n");
    if let Err(error) = server.write_all(&last) {
        complain(&format!("Error writing to the server: {}", reason(&error)));
    }
}

/// Bytes that no reply will contain by chance.
fn random_mark() -> [u8; MARK_BYTES] {
    let mut mark = [0; MARK_BYTES];
    for chunk in mark.chunks_mut(8) {
        // Each state is seeded at random.
        let random = RandomState::new().hash_one(0_u8).to_ne_bytes();
        chunk.copy_from_slice(&random[..chunk.len()]);
    }
    mark
}
