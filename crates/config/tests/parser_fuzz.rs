//! The file parser against hostile files, from a fixed seed: it may refuse them, never panic.

use config::{Config, ConfigError, Invocation, parameters};

/// A small generator (xorshift), so that a failure comes again.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.next() as u8).collect()
    }
}

fn load(text: &[u8]) -> Result<config::Loaded, ConfigError> {
    let Invocation::Serve(sources) = Invocation::parse(["-".into()]) else {
        unreachable!()
    };
    Config::load_with_stdin(&sources, &mut &text[..])
}

#[test]
fn random_bytes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2_000 {
        if let Err(error) = load(&random.bytes(200)) {
            assert!(error.to_string().contains("FATAL CONFIG FILE ERROR"));
        }
    }
}

#[test]
fn almost_right_lines() {
    const VALUES: &[&str] = &[
        "",
        "yes",
        "no",
        "0",
        "-1",
        "1",
        "18446744073709551616",
        "9223372036854775807",
        "-0",
        "100mb",
        "1gb",
        "50%",
        "-5%",
        "\"\"",
        "\"",
        "'",
        "\"\\x0",
        "\\",
        "normal",
        "replica",
        "*",
        "::",
        "KEA",
        "everysec",
        "no one",
        "777",
        "#",
        "\0",
        "1e9",
        "nan",
        "99.9",
        "/",
        "..",
    ];
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..4_000 {
        let parameter = &parameters()[random.below(parameters().len())];
        let mut line = parameter.name.as_bytes().to_vec();
        let words = if random.below(4) > 0 {
            1
        } else {
            random.below(6)
        };
        for _ in 0..words {
            line.push(b' ');
            line.extend_from_slice(VALUES[random.below(VALUES.len())].as_bytes());
        }
        if random.below(8) == 0 {
            let at = random.below(line.len());
            line[at] = random.next() as u8;
        }
        match load(&line) {
            Ok(loaded) => {
                taken += 1;
                // What was taken can be shown.
                assert!(!loaded.config.get(&[b"*"]).is_empty());
            }
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(
        taken > 500 && refused > 500,
        "{taken} taken, {refused} refused"
    );
}
