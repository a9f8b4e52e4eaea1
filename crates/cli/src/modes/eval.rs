//! `--eval file key .. , arg ..`: runs a Lua script that is kept in a file.

use std::path::Path;

use crate::Failure;
use crate::connection::reason;
use crate::session::{Issued, Session};

pub(super) fn run(session: &mut Session, script: &Path) -> Result<u8, Failure> {
    session.connect_or_fail()?;
    let text = std::fs::read(script).map_err(|error| {
        let path = script.display();
        Failure::Message(format!("Can't open file '{path}': {}", reason(&error)))
    })?;
    let command = request(text, &session.options.command);
    let repeat = session.options.repeat;
    Ok(match session.issue(&command, repeat)? {
        Issued::Answered => 0,
        Issued::Unanswered => 1,
    })
}

/// The first comma parts keys from arguments; without one, all are keys.
fn request(script: Vec<u8>, words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let comma = words.iter().position(|word| word == b",");
    let keys = &words[..comma.unwrap_or(words.len())];
    let args = comma.map_or(&[][..], |comma| &words[comma + 1..]);
    let mut request = vec![
        b"EVAL".to_vec(),
        script,
        keys.len().to_string().into_bytes(),
    ];
    request.extend(keys.iter().chain(args).cloned());
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_arguments() {
        let check = |line: &str| {
            let words = crate::line_split::split(line.as_bytes()).unwrap();
            let request = request(b"S".to_vec(), &words);
            String::from_utf8(request.join(&b' ')).unwrap()
        };
        assert_eq!(check("a b , x , y"), "EVAL S 2 a b x , y");
        assert_eq!(check("a b"), "EVAL S 2 a b");
        assert_eq!(check(", x"), "EVAL S 0 x");
        assert_eq!(check(""), "EVAL S 0");
    }
}
