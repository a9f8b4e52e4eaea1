//! `cargo xtask compat --random`: commands by chance, sent to Caracal and to live Redis and Valkey servers, replies compared.
//!
//! `compat` compares what somebody thought of; this task finds what nobody did. grammar.txt describes the commands, a
//! generator with a seed makes streams of them over few keys, so that they meet, and spoils some. All servers get the
//! same batches. A reply of ours that equals no oracle's is a finding: the stream is shrunk to the commands that it
//! needs, and shown as a script that can be put into tests/compat. Every few batches the keys that were touched are read
//! in full, so that damage that no reply showed is found as well.
//!
//! What is limited on purpose: times are past or far away, so that no key expires by itself while servers are compared.

mod fleet;
mod generate;
mod judge;
mod known;
mod line;
mod round;
mod shrink;
mod values;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::fleet::{Fleet, Program};
use self::generate::{Choice, Command};
use self::line::Line;
use self::shrink::Shrinker;
use crate::{caracal, oracles};

const GRAMMAR: &str = include_str!("grammar.txt");

/// The oracle whose reply counts when it is ours; others excuse us only.
const MAIN: &str = "valkey-9.1";

/// How often a class of findings is shrunk: it may have several causes, but seldom many.
const SHRUNK_MAX: usize = 3;

/// What the command line asks for.
struct Options {
    time: Duration,
    seed: u64,
    groups: Vec<String>,
    ours: Option<String>,
    findings_max: usize,
    coverage: bool,
    /// A reply that is only like another oracle's than the main one's is shown as a finding.
    sided: bool,
}

/// A run: what is known so far.
struct Run<'a> {
    lines: Vec<Line>,
    choice: Choice,
    enabled: Vec<bool>,
    readonly: HashSet<String>,
    options: Options,
    shrinker: Shrinker<'a>,
    names: Vec<String>,
    /// How often each class of findings was met, and how often it was shrunk.
    classes: BTreeMap<String, (u64, usize)>,
    /// By the names of their commands.
    findings: HashSet<String>,
    /// Replies that are another oracle's than the main one's.
    sided: BTreeMap<String, u64>,
    /// By line: how many commands were sent, and how many of them succeeded.
    sent: Vec<(u64, u64)>,
}

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    let programs = programs(options.ours.as_deref())?;
    let lines = Line::parse_all(GRAMMAR)?;
    let mut fleet = Fleet::start(&programs)?;
    let commands = fleet.commands();
    let mut enabled: Vec<bool> = Vec::new();
    let mut missing: Vec<&str> = Vec::new();
    for line in &lines {
        let has = commands[..2].iter().all(|names| names.contains(&line.name));
        enabled.push(has);
        if !has && !missing.contains(&line.name.as_str()) {
            missing.push(&line.name);
        }
    }
    if !missing.is_empty() {
        println!(
            "without {} commands that a server lacks: {}",
            missing.len(),
            missing.join(" ")
        );
    }
    let choice = Choice::new(&lines, &enabled, &options.groups);
    ensure!(!choice.is_empty(), "no command is left");
    let names: HashSet<String> = lines.iter().map(|line| line.name.clone()).collect();
    let mut run = Run {
        readonly: fleet.readonly(&names),
        sent: vec![(0, 0); lines.len()],
        choice,
        enabled,
        lines,
        shrinker: Shrinker::new(&programs),
        names: fleet.names().into_iter().map(String::from).collect(),
        classes: BTreeMap::new(),
        findings: HashSet::new(),
        sided: BTreeMap::new(),
        options,
    };
    let started = Instant::now();
    let mut rounds = 0;
    let mut playing = Duration::ZERO;
    while started.elapsed() < run.options.time && run.findings.len() < run.options.findings_max {
        let seed = run.options.seed.wrapping_add(rounds);
        let begun = Instant::now();
        if !round::play(&mut run, &mut fleet, seed)? {
            drop(fleet);
            fleet = Fleet::start(&programs)?;
        }
        playing += begun.elapsed();
        rounds += 1;
    }
    run.finish(rounds, playing)
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self {
            time: Duration::from_secs(60),
            seed: 1,
            groups: Vec::new(),
            ours: None,
            findings_max: 20,
            coverage: false,
            sided: false,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seed" => options.seed = args.next().context("--seed N")?.parse()?,
                "--groups" => {
                    let list = args.next().context("--groups A,B")?;
                    options.groups = list.split(',').map(str::to_owned).collect();
                }
                "--ours" => options.ours = Some(args.next().context("--ours NAME")?.clone()),
                "--findings" => {
                    options.findings_max = args.next().context("--findings N")?.parse()?
                }
                "--sided" => options.sided = true,
                "--coverage" => options.coverage = true,
                option if option.starts_with('-') => {
                    bail!("compat --random does not know {option}")
                }
                seconds => {
                    options.time = Duration::from_secs(
                        seconds.parse().context("compat --random takes seconds")?,
                    )
                }
            }
        }
        Ok(options)
    }
}

/// Ours, then the oracles, the main one first. An oracle in our place is none of the oracles.
fn programs(ours: Option<&str>) -> Result<Vec<Program>> {
    let mut oracles = oracles::installed();
    oracles.sort_by_key(|oracle| oracle.name != MAIN);
    let ours = match ours {
        None => ("caracal".to_owned(), caracal()?),
        Some(name) => match oracles.iter().position(|oracle| oracle.name == name) {
            Some(index) => (name.to_owned(), oracles.remove(index).program),
            None => ("caracal".to_owned(), PathBuf::from(name)),
        },
    };
    ensure!(
        !oracles.is_empty(),
        "no oracle is installed; `cargo xtask test` installs them"
    );
    let oracles = oracles
        .into_iter()
        .map(|oracle| (oracle.name.to_owned(), oracle.program));
    Ok(std::iter::once(ours).chain(oracles).collect())
}

impl Run<'_> {
    /// A line whose subcommand our server lacks is not used any more.
    fn disable(&mut self, line: usize) {
        self.enabled[line] = false;
        self.choice = Choice::new(&self.lines, &self.enabled, &self.options.groups);
    }

    /// A difference at the last command of `log`.
    fn found(&mut self, seed: u64, protocol: u8, log: &[Command], class: &str) -> Result<()> {
        let (count, shrunk) = self.classes.entry(class.to_owned()).or_default();
        *count += 1;
        if *shrunk >= SHRUNK_MAX {
            return Ok(());
        }
        *shrunk += 1;
        let Some(least) = self.shrinker.shrink(protocol, log, class)? else {
            println!("\nnot seen again in a replay (seed {seed}): {class}");
            for line in shrink::script(&log[log.len().saturating_sub(5)..]) {
                println!("    {}", cut(&line));
            }
            return Ok(());
        };
        let names: Vec<String> = least.commands.iter().map(Command::name).collect();
        // What SPOP leaves differs by chance, and a replay may happen to differ in the same way.
        if names.iter().any(|name| name == "SPOP") {
            println!("\nleft to chance by SPOP (seed {seed}): {class}");
            return Ok(());
        }
        if !self
            .findings
            .insert(format!("{class} by {}", names.join(" ")))
        {
            return Ok(());
        }
        println!(
            "\nfinding {} (seed {seed}, RESP{protocol}): {class}",
            self.findings.len()
        );
        for line in shrink::script(&least.commands) {
            println!("    {line}");
        }
        for (name, reply) in self.names.iter().zip(&least.replies) {
            println!("  {name:12} {}", cut(&reply.to_string()));
        }
        Ok(())
    }

    fn finish(self, rounds: u64, time: Duration) -> Result<()> {
        let total: u64 = self.sent.iter().map(|(sent, _)| sent).sum();
        if self.options.coverage {
            for (line, (sent, fine)) in self.lines.iter().zip(&self.sent) {
                println!(
                    "{sent:8} sent, {fine:8} without an error: {} ({})",
                    line.name, line.group
                );
            }
        }
        if !self.sided.is_empty() {
            println!("\nlike another oracle than {MAIN}:");
        }
        for (class, count) in &self.sided {
            println!("{count:8} {}", cut(class));
        }
        if !self.classes.is_empty() {
            println!("\nclasses of findings:");
        }
        for (class, (count, _)) in &self.classes {
            println!("{count:8} {}", cut(class));
        }
        println!(
            "\n{total} commands in {rounds} rounds from seed {}, {:.0} a second; {} findings",
            self.options.seed,
            total as f64 / time.as_secs_f64(),
            self.findings.len()
        );
        ensure!(self.findings.is_empty(), "our replies are like no oracle's");
        Ok(())
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{} … ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
