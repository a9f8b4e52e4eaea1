//! `cargo xtask compat`: the corpus of tests/compat is sent to Caracal and to live Redis and Valkey servers, in RESP2 and
//! in RESP3, and the replies are compared as values.
//!
//! Two rules decide. A reply must equal that of at least one oracle. Where it does not equal them all, tests/COMPAT.md
//! must say whom it follows, and why.

mod listed;
mod play;
mod reply;
mod script;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use self::listed::{Listed, NO_REASON, Row};
pub(crate) use self::play::reply as reply_of;
pub(crate) use self::reply::Reply;
pub(crate) use self::script::Look;
use self::script::Script;
use crate::oracles::{self, Oracle};
use crate::server::{Server, plain_flags};
use crate::{caracal, workspace};

/// What the command line asks for.
#[derive(Default)]
struct Options {
    filter: String,
    update: bool,
    ours: Option<String>,
}

/// The replies of one player (a server in one protocol), by script, section and step.
type Replies = Vec<Vec<Option<Vec<Reply>>>>;

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    if let [option, rest @ ..] = args
        && option == "--random"
    {
        return crate::random::run(rest);
    }
    let options = Options::parse(args)?;
    let started = Instant::now();
    let scripts = read_corpus(&options.filter)?;
    let oracles = oracles::installed();
    ensure!(
        !oracles.is_empty(),
        "no oracle is installed; `cargo xtask test` installs them"
    );
    let (ours_name, ours_program) = ours(&options, &oracles)?;

    let mut programs = vec![(ours_name.clone(), ours_program)];
    programs.extend(
        oracles
            .iter()
            .map(|oracle| (oracle.name.to_owned(), oracle.program.clone())),
    );
    let replies = play_all(&programs, &scripts)?;
    let names: Vec<&str> = oracles.iter().map(|oracle| oracle.name).collect();
    let mut comparison = Comparison::new(ours_name, names, Listed::read()?);
    for (index, script) in scripts.iter().enumerate() {
        comparison.script(script, index, &replies);
    }
    let complete = options.filter.is_empty() && oracles.len() == oracles::NAMES.len();
    let outcome = comparison.finish(options.update, complete);
    println!("{:.1} s", started.elapsed().as_secs_f64());
    outcome
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--filter" => options.filter = args.next().context("--filter TEXT")?.clone(),
                "--ours" => options.ours = Some(args.next().context("--ours NAME")?.clone()),
                "--update" => options.update = true,
                other => bail!("compat does not know {other}"),
            }
        }
        Ok(options)
    }
}

/// The scripts whose name has `filter` in it or, if there are none, the sections whose title has it.
fn read_corpus(filter: &str) -> Result<Vec<Script>> {
    let folder = workspace().join("tests/compat");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    let mut scripts = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        scripts.push(Script::parse(&name, &std::fs::read_to_string(&path)?)?);
    }
    if scripts.iter().any(|script| script.name.contains(filter)) {
        scripts.retain(|script| script.name.contains(filter));
    } else {
        for script in &mut scripts {
            script
                .sections
                .retain(|section| section.title.contains(filter));
        }
        scripts.retain(|script| !script.sections.is_empty());
    }
    ensure!(
        !scripts.is_empty(),
        "nothing in {} matches",
        folder.display()
    );
    Ok(scripts)
}

fn ours(options: &Options, oracles: &[Oracle]) -> Result<(String, PathBuf)> {
    let Some(name) = &options.ours else {
        return Ok(("caracal".to_owned(), caracal()?));
    };
    match oracles.iter().find(|oracle| oracle.name == name) {
        Some(oracle) => Ok((format!("ours ({name})"), oracle.program.clone())),
        None => Ok((name.clone(), PathBuf::from(name))),
    }
}

/// Plays the corpus to every program in both protocols at once. Each player has a server of its own, because some
/// commands look at the whole server.
fn play_all(programs: &[(String, PathBuf)], scripts: &[Script]) -> Result<Vec<[Replies; 2]>> {
    let flags = [
        plain_flags(),
        vec!["--enable-debug-command".into(), "yes".into()],
    ]
    .concat();
    std::thread::scope(|scope| {
        let players: Vec<_> = programs
            .iter()
            .map(|(name, program)| {
                [2, 3].map(|protocol| {
                    let flags = &flags;
                    scope.spawn(move || {
                        let server = Server::start(program, flags, None)?;
                        play::play(&server, protocol, scripts)
                            .with_context(|| format!("{name} in RESP{protocol}"))
                    })
                })
            })
            .collect();
        let mut results = Vec::new();
        for [two, three] in players {
            let join = |player: std::thread::ScopedJoinHandle<'_, Result<Replies>>| {
                player.join().unwrap_or_else(|_| bail!("a player panicked"))
            };
            results.push([join(two)?, join(three)?]);
        }
        Ok(results)
    })
}

/// How many differences are shown of a command that a section has several times.
const SHOWN_MAX: usize = 4;

/// Which oracles agree with our reply to a command of a section: in both protocols, and all rounds of a repeated line.
#[derive(Default)]
struct Agreement {
    agree: Vec<bool>,
    /// Whether one reply equals none of the oracles'.
    alone: bool,
    /// The first differences, ready to be shown.
    shown: Vec<String>,
}

struct Comparison<'a> {
    ours: String,
    oracles: Vec<&'a str>,
    listed: Listed,
    used_rows: HashSet<usize>,
    compared: usize,
    unexplained: usize,
    alone: usize,
    listed_differences: usize,
}

impl<'a> Comparison<'a> {
    fn new(ours: String, oracles: Vec<&'a str>, listed: Listed) -> Self {
        Self {
            ours,
            oracles,
            listed,
            used_rows: HashSet::new(),
            compared: 0,
            unexplained: 0,
            alone: 0,
            listed_differences: 0,
        }
    }

    fn script(&mut self, script: &Script, script_index: usize, replies: &[[Replies; 2]]) {
        for (section_index, section) in script.sections.iter().enumerate() {
            let mut by_command: BTreeMap<(usize, &str), Agreement> = BTreeMap::new();
            let mut order_of_command = BTreeMap::new();
            for (protocol_index, protocol) in [2, 3].into_iter().enumerate() {
                let of = |player: &[Replies; 2]| {
                    player[protocol_index][script_index][section_index].clone()
                };
                let Some(ours) = of(&replies[0]) else {
                    continue;
                };
                let theirs: Vec<Vec<Reply>> = replies[1..].iter().filter_map(of).collect();
                for (step_index, step) in section.steps.iter().enumerate() {
                    self.compared += 1;
                    let text = step.text.as_str();
                    let order = *order_of_command.entry(text).or_insert(step_index);
                    let agreement = by_command.entry((order, text)).or_default();
                    agreement.agree.resize(self.oracles.len(), true);
                    let mine = &ours[step_index];
                    let equal: Vec<bool> = theirs
                        .iter()
                        .map(|replies| replies[step_index] == *mine)
                        .collect();
                    if equal.iter().all(|equal| *equal) {
                        continue;
                    }
                    agreement.alone |= !equal.contains(&true);
                    for (all, now) in agreement.agree.iter_mut().zip(&equal) {
                        *all &= now;
                    }
                    let replies: Vec<&Reply> =
                        theirs.iter().map(|replies| &replies[step_index]).collect();
                    let place = format!("{}.txt:{}", script.name, step.line);
                    let head =
                        format!("{place}: {} [{}, RESP{protocol}]", step.text, section.title);
                    if agreement.shown.len() < SHOWN_MAX {
                        agreement.shown.push(self.show(&head, mine, &replies));
                    }
                }
            }
            for ((_, command), agreement) in by_command {
                if !agreement.shown.is_empty() {
                    self.difference(&script.name, &section.title, command, &agreement);
                }
            }
        }
    }

    fn show(&self, head: &str, mine: &Reply, theirs: &[&Reply]) -> String {
        let cut = |reply: &Reply| {
            let text = reply.to_string();
            match text.char_indices().nth(400) {
                Some((end, _)) => format!("{} … ({} bytes)", &text[..end], text.len()),
                None => text,
            }
        };
        let mut shown = format!("{head}\n    {:12} {}", self.ours, cut(mine));
        for (name, reply) in self.oracles.iter().zip(theirs) {
            let text = if *reply == mine {
                "the same".to_owned()
            } else {
                cut(reply)
            };
            shown += &format!("\n    {name:12} {text}");
        }
        shown
    }

    /// Judges a command whose reply some oracle does not share.
    fn difference(&mut self, script: &str, section: &str, command: &str, agreement: &Agreement) {
        let shown = agreement.shown.join("\n  and ");
        let follows: Vec<String> = self
            .oracles
            .iter()
            .zip(&agreement.agree)
            .filter(|(_, agree)| **agree)
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if agreement.alone {
            self.alone += 1;
            println!("like no oracle: {shown}\n");
            return;
        }
        let Some(index) = self.listed.find(script, section, command) else {
            self.unexplained += 1;
            println!("not in COMPAT.md: {shown}\n");
            self.used_rows.insert(self.listed.rows.len());
            self.listed.rows.push(Row {
                script: script.to_owned(),
                section: section.to_owned(),
                command: command.to_owned(),
                follows,
                why: NO_REASON.to_owned(),
            });
            return;
        };
        self.used_rows.insert(index);
        let row = &mut self.listed.rows[index];
        let whole_section = row.command == "*";
        // An oracle that is not installed can be followed but not checked.
        let unlike =
            |name: &&String| self.oracles.contains(&name.as_str()) && !follows.contains(name);
        let not_followed = row.follows.iter().find(unlike);
        let missing = follows.iter().find(|name| !row.follows.contains(name));
        let wrong = match (not_followed, missing) {
            (Some(name), _) => Some(format!("COMPAT.md says like {name}")),
            (None, Some(name)) if !whole_section => {
                Some(format!("COMPAT.md does not say that it is like {name}"))
            }
            _ if row.why == NO_REASON => Some("COMPAT.md gives no reason".to_owned()),
            _ => None,
        };
        match wrong {
            Some(wrong) => {
                self.unexplained += 1;
                println!("{wrong}: {shown}\n");
                if !whole_section {
                    row.follows = follows;
                }
            }
            None => self.listed_differences += 1,
        }
    }

    fn finish(mut self, update: bool, complete: bool) -> Result<()> {
        let mut stale = 0;
        if complete {
            let used = &self.used_rows;
            for (index, row) in self.listed.rows.iter().enumerate() {
                if !used.contains(&index) {
                    stale += 1;
                    println!(
                        "COMPAT.md lists what no longer differs: {} / {} / {}",
                        row.script, row.section, row.command
                    );
                }
            }
        }
        if update {
            let used = std::mem::take(&mut self.used_rows);
            let mut index = 0;
            self.listed.rows.retain(|_| {
                index += 1;
                !complete || used.contains(&(index - 1))
            });
            self.listed.write()?;
        }
        println!(
            "{} replies compared with {}: {} like none, {} differences not listed, {} listed, {} rows out of date",
            self.compared,
            self.oracles.join(", "),
            self.alone,
            self.unexplained,
            self.listed_differences,
            stale
        );
        ensure!(
            self.alone + self.unexplained + stale == 0,
            "the corpus does not hold"
        );
        Ok(())
    }
}
