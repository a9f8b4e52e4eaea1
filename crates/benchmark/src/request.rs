//! The bytes of a pipelined batch, with the random numbers patched in place.
//!
//! A batch is encoded once for a test. `__rand_int__` is twelve bytes long so that a number of
//! twelve digits can take its place without moving anything, lengths included. One batch serves all
//! connections of a worker: the kernel copies it out on write, and only what it did not take has to
//! be kept for a connection.

use memchr::memmem;

/// What is replaced by a number of twelve digits.
pub(crate) const PLACEHOLDER: &str = "__rand_int__";

const DIGITS: usize = PLACEHOLDER.len();

/// Encodes a command as an array of bulk strings.
pub(crate) fn encode<A: AsRef<[u8]>>(args: &[A]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", args.len()).into_bytes();
    for arg in args {
        let arg = arg.as_ref();
        bytes.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        bytes.extend_from_slice(arg);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

/// As many copies of a command as go out in one write.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// Where the placeholders begin; empty if nothing is random.
    slots: Vec<usize>,
    keyspace: u64,
}

impl Batch {
    /// `keyspace` is how many different numbers there are; without it placeholders are sent as they
    /// are.
    pub(crate) fn new(command: &[u8], pipeline: usize, keyspace: Option<u64>) -> Self {
        let bytes = command.repeat(pipeline);
        let slots = match keyspace {
            Some(_) => memmem::find_iter(&bytes, PLACEHOLDER).collect(),
            None => Vec::new(),
        };
        Self {
            bytes,
            slots,
            keyspace: keyspace.unwrap_or(0),
        }
    }

    /// The bytes of the next batch, every placeholder with a number of its own.
    pub(crate) fn next(&mut self, random: &mut fastrand::Rng) -> &[u8] {
        for &slot in &self.slots {
            let number = if self.keyspace == 0 {
                0
            } else {
                random.u64(..self.keyspace)
            };
            write_digits(&mut self.bytes[slot..slot + DIGITS], number);
        }
        &self.bytes
    }
}

/// The last twelve decimal digits of `number`, padded with zeros.
fn write_digits(target: &mut [u8], mut number: u64) {
    for pair in target.rchunks_exact_mut(2) {
        let two = (number % 100) as u8;
        number /= 100;
        pair[0] = b'0' + two / 10;
        pair[1] = b'0' + two % 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_an_array_of_bulk_strings() {
        assert_eq!(
            encode(&["SET", "k", ""]),
            b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n"
        );
    }

    #[test]
    fn digits_are_twelve_and_padded() {
        let mut target = *b"............";
        for (number, expected) in [
            (0, "000000000000"),
            (7, "000000000007"),
            (123_456_789_012, "123456789012"),
            (9_000_000_000_001, "000000000001"),
        ] {
            write_digits(&mut target, number);
            assert_eq!(target, expected.as_bytes());
        }
    }

    #[test]
    fn every_placeholder_gets_a_number_in_range_and_nothing_else_changes() {
        let command = encode(&["SET", "key:__rand_int__", "__rand_int____rand_int__"]);
        let mut batch = Batch::new(&command, 3, Some(50));
        assert_eq!(batch.slots.len(), 9);
        let mut random = fastrand::Rng::with_seed(1);
        let first = batch.next(&mut random).to_vec();
        let second = batch.next(&mut random).to_vec();
        assert_ne!(first, second);
        let template = command.repeat(3);
        for bytes in [&first, &second] {
            assert_eq!(bytes.len(), template.len());
            let mut restored = bytes.clone();
            for &slot in &batch.slots {
                let digits = std::str::from_utf8(&bytes[slot..slot + DIGITS]).unwrap();
                assert!(digits.parse::<u64>().unwrap() < 50, "{digits}");
                restored[slot..slot + DIGITS].copy_from_slice(PLACEHOLDER.as_bytes());
            }
            assert_eq!(restored, template);
        }
    }

    #[test]
    fn without_a_keyspace_the_placeholder_is_sent_as_it_is() {
        let command = encode(&["GET", "key:__rand_int__"]);
        let mut batch = Batch::new(&command, 1, None);
        assert_eq!(batch.next(&mut fastrand::Rng::with_seed(1)), command);
    }

    #[test]
    fn a_keyspace_of_nothing_is_the_key_zero() {
        let mut batch = Batch::new(&encode(&["GET", "__rand_int__"]), 1, Some(0));
        let bytes = batch.next(&mut fastrand::Rng::with_seed(1));
        assert!(bytes.ends_with(b"$12\r\n000000000000\r\n"));
    }
}
