//! Reading the configuration: the file and what it includes, standard input, the command line.
//!
//! All three are lines of the same syntax, read one after the other; a later value takes the place
//! of an earlier one, except for the lists of `save` and `client-output-buffer-limit`, which grow.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::command_line::Sources;
use crate::composite::{Merge, ReplicaOf};
use crate::config::{Config, Directive};
use crate::definition::{Id, Parameter};
use crate::error::{ConfigError, Source};
use crate::file;
use crate::glob;
use crate::parameters::{find, nearest, parameter};

/// How deep files may include each other: far beyond need, and short of a cycle's end of memory.
const MAX_DEPTH: usize = 16;

/// A configuration that was read.
#[derive(Debug)]
pub struct Loaded {
    /// It.
    pub config: Config,
    /// What the log should say about it at start.
    pub warnings: Vec<String>,
    /// The absolute path of the file it came from.
    pub config_file: Option<PathBuf>,
}

impl Config {
    /// Reads the configuration from the file, standard input and command line that `sources` names.
    pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
        Self::load_with_stdin(sources, &mut io::stdin())
    }

    /// As [`Self::load`], with another standard input.
    pub fn load_with_stdin(sources: &Sources, stdin: &mut dyn Read) -> Result<Loaded, ConfigError> {
        let mut loader = Loader::new();
        if let Some(file) = &sources.file {
            let path = loader.config.directory().join(file);
            loader.config.file = Some(path.clone());
            loader.read_file(&path, 0)?;
        }
        if sources.reads_stdin {
            let mut text = Vec::new();
            let read = stdin.read_to_end(&mut text);
            let unreadable = |cause| ConfigError::Unreadable {
                path: "-".into(),
                cause,
            };
            read.map_err(unreadable)?;
            loader.read_text(&text, &Source::Stdin, 0)?;
        }
        loader.read_text(&sources.options, &Source::CommandLine, 0)?;
        loader.finish()
    }
}

struct Loader {
    config: Config,
    /// Parameters that had a line already.
    seen: HashSet<Id>,
    /// Names that have no effect, by the reason.
    idle: BTreeMap<&'static str, Vec<&'static str>>,
}

/// A line and where it stands.
#[derive(Clone, Copy)]
struct Line<'a> {
    source: &'a Source,
    number: usize,
    text: &'a [u8],
}

impl Line<'_> {
    fn error(self, reason: impl Into<String>, hint: Option<String>) -> ConfigError {
        ConfigError::Line {
            source: self.source.clone(),
            number: self.number,
            line: String::from_utf8_lossy(self.text).into_owned(),
            reason: reason.into(),
            hint,
        }
    }
}

impl Loader {
    fn new() -> Self {
        Self {
            config: Config::new(),
            seen: HashSet::new(),
            idle: BTreeMap::new(),
        }
    }

    fn read_file(&mut self, path: &Path, depth: usize) -> Result<(), ConfigError> {
        let unreadable = |cause| ConfigError::Unreadable {
            path: path.to_owned(),
            cause,
        };
        let text = fs::read(path).map_err(unreadable)?;
        self.read_text(&text, &Source::File(path.to_owned()), depth)
    }

    fn read_text(&mut self, text: &[u8], source: &Source, depth: usize) -> Result<(), ConfigError> {
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let text = line.trim_ascii();
            if !text.is_empty() && text[0] != b'#' {
                self.read_line(
                    Line {
                        source,
                        number: index + 1,
                        text,
                    },
                    depth,
                )?;
            }
        }
        Ok(())
    }

    fn read_line(&mut self, line: Line<'_>, depth: usize) -> Result<(), ConfigError> {
        let Some(words) = file::split(line.text) else {
            return Err(line.error("Unbalanced quotes in configuration line", None));
        };
        let Some((name, arguments)) = words.split_first() else {
            return Ok(());
        };
        match find(name) {
            Some((id, parameter)) => self.read_parameter(line, id, parameter, arguments),
            None => self.read_directive(line, name, arguments, depth),
        }
    }

    fn read_parameter(
        &mut self,
        line: Line<'_>,
        id: Id,
        parameter: &'static Parameter,
        arguments: &[Vec<u8>],
    ) -> Result<(), ConfigError> {
        let error = |reason: String| {
            let allowed = parameter.allowed();
            line.error(reason, allowed.map(|allowed| format!("Allowed: {allowed}")))
        };
        let split;
        let mut words: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        if let ([one], true) = (&words[..], parameter.takes_several_words()) {
            if !one.is_empty() {
                // All words in one pair of quotes, as `--save "900 1"` on a command line.
                split = file::split(one)
                    .ok_or_else(|| error("Unbalanced quotes in configuration line".to_owned()))?;
                words = split.iter().map(Vec::as_slice).collect();
            }
        } else if words.is_empty() {
            return Err(error("wrong number of arguments".to_owned()));
        }
        let merge = if self.seen.insert(id) {
            Merge::Replace
        } else {
            Merge::Accumulate
        };
        let value = self.config.parse_words(id, &words, merge);
        let value = value.map_err(|reason| error(reason.into_owned()))?;
        self.config.store(id, value);
        if let Some(reason) = parameter.meaning.neglect() {
            let names = self.idle.entry(reason).or_default();
            if !names.contains(&parameter.name) {
                names.push(parameter.name);
            }
        }
        Ok(())
    }

    fn read_directive(
        &mut self,
        line: Line<'_>,
        name: &[u8],
        arguments: &[Vec<u8>],
        depth: usize,
    ) -> Result<(), ConfigError> {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        match (name.as_str(), arguments) {
            ("include", [pattern]) => return self.include(line, pattern, depth),
            ("rename-command", [_, _]) | ("user" | "loadmodule", [_, ..]) => {}
            ("sentinel", [_, ..]) => {
                let allowed = "The server has no sentinel mode".to_owned();
                return Err(line.error(
                    "sentinel directive while not in sentinel mode",
                    Some(allowed),
                ));
            }
            (name, []) if is_module_setting(name) => {
                return Err(line.error("Module config specified without value", None));
            }
            (name, _) if is_module_setting(name) => {}
            (name, _) => {
                let usage = match name {
                    "include" => Some("Usage: include <file or pattern>".to_owned()),
                    "rename-command" => {
                        Some("Usage: rename-command <command> <new name or \"\">".to_owned())
                    }
                    "user" => Some("Usage: user <name> <rule>...".to_owned()),
                    "loadmodule" => Some("Usage: loadmodule <file> <argument>...".to_owned()),
                    _ => nearest(name).map(|near| format!("Did you mean '{near}'?")),
                };
                return Err(line.error("Bad directive or wrong number of arguments", usage));
            }
        }
        self.config.directives.push(Directive {
            name,
            arguments: arguments.to_vec(),
            source: line.source.clone(),
            line: line.number,
        });
        Ok(())
    }

    /// Reads another file in place of the line. A pattern may match no file, a plain name must be
    /// there.
    fn include(&mut self, line: Line<'_>, pattern: &[u8], depth: usize) -> Result<(), ConfigError> {
        if depth == MAX_DEPTH {
            let allowed =
                format!("Allowed: files that include each other {MAX_DEPTH} deep, and no cycle");
            return Err(line.error("Too many nested includes", Some(allowed)));
        }
        let path = self.config.directory().join(OsStr::from_bytes(pattern));
        if !glob::is_pattern(pattern) {
            return self.read_file(&path, depth + 1);
        }
        for path in matching_files(&path) {
            self.read_file(&path, depth + 1)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Loaded, ConfigError> {
        let Self { config, idle, .. } = self;
        let ReplicaOf(primary) = config.read(parameter::REPLICAOF);
        if config.read(parameter::CLUSTER_ENABLED) && primary.is_some() {
            let reason = "replicaof directive not allowed in cluster mode";
            return Err(ConfigError::Conflict(reason.to_owned()));
        }
        let warning = |(reason, names): (&str, Vec<&str>)| {
            format!(
                "These directives have no effect ({reason}): {}",
                names.join(", ")
            )
        };
        let warnings = idle.into_iter().map(warning).collect();
        let config_file = config.file.clone();
        Ok(Loaded {
            config,
            warnings,
            config_file,
        })
    }
}

/// Whether a directive is for a module: it has a dot, or the prefix of one of the modules that come
/// with Redis 8.
pub(crate) fn is_module_setting(name: &str) -> bool {
    const PREFIXES: &[&str] = &["search-", "ts-", "bf-", "cf-"];
    name.contains('.') || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The files that an absolute path with patterns in it matches, in the order of their names. As in
/// a shell, a pattern does not match a leading dot.
fn matching_files(pattern: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for component in pattern.components() {
        let Component::Normal(part) = component else {
            continue;
        };
        let part = part.as_bytes();
        if !glob::is_pattern(part) {
            paths
                .iter_mut()
                .for_each(|path| path.push(OsStr::from_bytes(part)));
            continue;
        }
        let mut matching = Vec::new();
        for path in &paths {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_hidden = name.as_bytes().starts_with(b".") && !part.starts_with(b".");
                if !is_hidden && glob::matches(part, name.as_bytes(), glob::Case::Exact) {
                    matching.push(entry.path());
                }
            }
        }
        matching.sort();
        paths = matching;
    }
    paths.retain(|path| path.is_file());
    paths
}
