//! Reading configuration files and writing them back.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use config::{Config, ConfigError, Invocation, Loaded, Origin, RewrittenDirectives, parameter};
use expect_test::{Expect, expect};

/// A directory that is deleted with the value.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("caracal-config-{}-{count}", std::process::id());
        let path = std::env::temp_dir().canonicalize().unwrap().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn load(arguments: &[&str]) -> Result<Loaded, ConfigError> {
    load_with(arguments, "")
}

fn load_with(arguments: &[&str], stdin: &str) -> Result<Loaded, ConfigError> {
    let Invocation::Serve(sources) = Invocation::parse(arguments.iter().map(OsString::from)) else {
        panic!("{arguments:?}")
    };
    Config::load_with_stdin(&sources, &mut stdin.as_bytes())
}

/// The configuration of a text.
fn read(text: &str) -> Config {
    load_with(&["-"], text)
        .unwrap_or_else(|error| panic!("{error}"))
        .config
}

#[track_caller]
fn error(text: &str, expected: Expect) {
    let directory = Directory::new();
    let file = directory.file("redis.conf", text);
    let error = load(&[file.to_str().unwrap()]).unwrap_err().to_string();
    expected.assert_eq(&error.replace(directory.0.to_str().unwrap(), "/etc"));
}

#[track_caller]
fn shows(text: &str, name: &str, shown: &str) {
    let found = read(text).get(&[name.as_bytes()]);
    assert_eq!(String::from_utf8_lossy(&found[0].1), shown, "{text}");
}

#[test]
fn lines() {
    shows("# a comment\n\n  port   7777\r\nPort 7778 ", "port", "7778");
    shows("requirepass \"a \\x41\\n\"", "requirepass", "a A\n");
    shows("requirepass 'a # b'", "requirepass", "a # b");
    shows("slaveof 10.0.0.1 6379", "replicaof", "10.0.0.1 6379");
    shows("io-threads 4", "workers", "4");
    shows("bind 127.0.0.1\nbind 10.0.0.1 ::1", "bind", "10.0.0.1 ::1");
}

#[test]
fn lists_grow_over_lines() {
    shows("save 900 1\nsave 300 10", "save", "900 1 300 10");
    shows("save 900 1 300 10", "save", "900 1 300 10");
    shows("save \"900 1\"", "save", "900 1");
    shows("save \"\"", "save", "");
    shows("save 900 1\nsave \"\"\nsave 60 1", "save", "60 1");
    shows(
        "client-output-buffer-limit normal 1 2 3\nclient-output-buffer-limit replica 4 5 6",
        "client-output-buffer-limit",
        "normal 1 2 3 slave 4 5 6 pubsub 33554432 8388608 60",
    );
}

#[test]
fn options_override_files() {
    let directory = Directory::new();
    let file = directory.file("a.conf", "port 1\ntimeout 1\nsave 900 1\nhz 20\n");
    let file = file.to_str().unwrap();
    let arguments = [file, "--port", "3", "--save", "", "--save", "60", "2", "-"];
    let loaded = load_with(&arguments, "port 2\ntimeout 2").unwrap();
    assert_eq!(loaded.config.read(parameter::PORT), 3);
    assert_eq!(loaded.config.read(parameter::TIMEOUT), 2);
    assert_eq!(
        loaded.config.shown(config::find(b"save").unwrap().0),
        b"60 2"
    );
    assert_eq!(loaded.config.read(parameter::HZ), 20);
    assert_eq!(loaded.config_file, Some(PathBuf::from(file)));
}

#[test]
fn includes() {
    let directory = Directory::new();
    directory.file("b.conf", "port 2\n");
    directory.file("c1.inc", "timeout 1\n");
    directory.file("c2.inc", "timeout 2\n");
    directory.file(".c3.inc", "timeout 3\n");
    let root = directory.0.display();
    let text = format!(
        "port 1\ninclude {root}/b.conf\ndir {root}\ninclude *.inc\ninclude {root}/none/*.conf\n"
    );
    let config = read(&text);
    assert_eq!(config.read(parameter::PORT), 2);
    assert_eq!(config.read(parameter::TIMEOUT), 2);
    let missing = load_with(&["-"], "include /nowhere/x.conf")
        .unwrap_err()
        .to_string();
    let expected =
        "Fatal error, can't open config file '/nowhere/x.conf': No such file or directory";
    assert_eq!(missing, expected);
    let file = directory.file("loop.conf", &format!("include {root}/loop.conf"));
    let cycle = load(&[file.to_str().unwrap()]).unwrap_err().to_string();
    assert!(cycle.contains("Too many nested includes"), "{cycle}");
}

#[test]
fn directives_are_kept_for_later() {
    let text = "user alice on >secret ~* +@all\nloadmodule /m.so a b\n\
                rename-command FLUSHALL \"\"\nMod.x 1 2\nsearch-threads 20\n";
    let config = read(text);
    let all: Vec<_> = config
        .directives()
        .iter()
        .map(|d| (d.name.as_str(), d.line))
        .collect();
    assert_eq!(
        all,
        [
            ("user", 1),
            ("loadmodule", 2),
            ("rename-command", 3),
            ("mod.x", 4),
            ("search-threads", 5)
        ]
    );
    assert_eq!(
        config.directives()[2].arguments,
        [b"FLUSHALL".to_vec(), Vec::new()]
    );
}

#[test]
fn what_has_no_effect_is_said() {
    let loaded = load(&["--io-threads-do-reads", "yes", "--port", "1"]).unwrap();
    let expected = "These directives have no effect (every worker thread reads, runs and writes by \
                    itself): io-threads-do-reads";
    assert_eq!(loaded.warnings, [expected]);
}

#[test]
fn errors_say_where_what_and_what_instead() {
    error(
        "# comment\nport 1\nport abc\n",
        expect![[r#"
            *** FATAL CONFIG FILE ERROR (Caracal 0.1.0) ***
            Reading the configuration file, at line 3
            >>> 'port abc'
            argument couldn't be parsed into an integer
            Allowed: an integer from 0 to 65535 (/etc/redis.conf:3)"#]],
    );
    error(
        "maxmemroy 1gb",
        expect![[r#"
            *** FATAL CONFIG FILE ERROR (Caracal 0.1.0) ***
            Reading the configuration file, at line 1
            >>> 'maxmemroy 1gb'
            Bad directive or wrong number of arguments
            Did you mean 'maxmemory'? (/etc/redis.conf:1)"#]],
    );
    error(
        "requirepass \"x",
        expect![[r#"
            *** FATAL CONFIG FILE ERROR (Caracal 0.1.0) ***
            Reading the configuration file, at line 1
            >>> 'requirepass "x'
            Unbalanced quotes in configuration line
            (/etc/redis.conf:1)"#]],
    );
    error(
        "port 1 2",
        expect![[r#"
            *** FATAL CONFIG FILE ERROR (Caracal 0.1.0) ***
            Reading the configuration file, at line 1
            >>> 'port 1 2'
            wrong number of arguments
            Allowed: an integer from 0 to 65535 (/etc/redis.conf:1)"#]],
    );
    let error = load(&["--port", "x"]).unwrap_err().to_string();
    expect![[r#"
        *** FATAL CONFIG FILE ERROR (Caracal 0.1.0) ***
        Reading the command line, at option 1
        >>> 'port "x"'
        argument couldn't be parsed into an integer
        Allowed: an integer from 0 to 65535 (command line, option 1)"#]]
    .assert_eq(&error);
    let error = load(&["--cluster-enabled", "yes", "--replicaof", "::1", "1"]).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("replicaof directive not allowed in cluster mode")
    );
}

/// Sets values on a file's configuration and expects the file to be rewritten like this.
#[track_caller]
fn rewrites(text: &str, pairs: &[(&str, &str)], expected: &str) {
    let directory = Directory::new();
    let file = directory.file("redis.conf", text);
    let config = load(&[file.to_str().unwrap()])
        .unwrap_or_else(|error| panic!("{error}"))
        .config;
    for (name, value) in pairs {
        config
            .set(&[(name.as_bytes(), value.as_bytes())], Origin::Local)
            .unwrap();
    }
    config.rewrite(&[]).unwrap();
    let rewritten = fs::read_to_string(&file).unwrap();
    let current = format!("dir \"{}\"\n", std::env::current_dir().unwrap().display());
    let rewritten = rewritten.replace(&current, "dir .\n");
    assert_eq!(rewritten, expected);
    // Reading it again gives the same values, and rewriting it again changes nothing.
    let again = load(&[file.to_str().unwrap()]).unwrap().config;
    assert_eq!(again.get(&[b"*"]), config.get(&[b"*"]));
    again.rewrite(&[]).unwrap();
    assert_eq!(
        fs::read_to_string(&file)
            .unwrap()
            .replace(&current, "dir .\n"),
        rewritten
    );
    assert_eq!(
        fs::read_dir(&directory.0).unwrap().count(),
        1,
        "the temporary file is gone"
    );
}

const SIGNATURE: &str = "# Generated by CONFIG REWRITE\n";
const ALWAYS: &str =
    "dir .\nsave 3600 1 300 100 60 10000\nlatency-tracking-info-percentiles 50 99 99.9\n";

#[test]
fn rewriting_keeps_what_stands() {
    rewrites("", &[], &format!("{SIGNATURE}{ALWAYS}"));
    rewrites(
        "# my file\n\nport 7777   \nmaxmemory 100MB\n\n\nslave-priority 5\n",
        &[
            ("maxmemory", "1gb"),
            ("timeout", "5"),
            ("requirepass", "a \"b\""),
        ],
        &format!(
            "# my file\n\nport 7777\nmaxmemory 1gb\n\nslave-priority 5\n{SIGNATURE}\
             timeout 5\ndir .\nrequirepass \"a \\\"b\\\"\"\nsave 3600 1 300 100 60 10000\n\
             latency-tracking-info-percentiles 50 99 99.9\n"
        ),
    );
}

#[test]
fn rewriting_uses_a_lines_place_and_empties_the_rest() {
    let rest = format!("{SIGNATURE}dir .\nlatency-tracking-info-percentiles 50 99 99.9\n");
    rewrites(
        "save 900 1\nport 1\nsave 300 10\nrequirepass x\nport 2\n",
        &[("save", "60 1"), ("requirepass", "")],
        &format!("save 60 1\nport 2\n\n{rest}"),
    );
    rewrites(
        "save 900 1\nclient-output-buffer-limit pubsub 1 2 3\nbind 1.1.1.1",
        &[
            ("save", ""),
            ("bind", "* -::*"),
            ("client-output-buffer-limit", "normal 1mb 0 0"),
        ],
        &format!(
            "save \"\"\nclient-output-buffer-limit normal 1mb 0 0\n\n{SIGNATURE}dir .\n\
             client-output-buffer-limit pubsub 1 2 3\n\
             latency-tracking-info-percentiles 50 99 99.9\n"
        ),
    );
}

#[test]
fn rewriting_directives() {
    let directory = Directory::new();
    let file = directory.file(
        "redis.conf",
        "user a on\nuser b on\nloadmodule /m.so\nnot.a.bug 1\n",
    );
    let sources = config::Sources::default().with_file(&file);
    let config = Config::load(&sources).unwrap().config;
    let users = RewrittenDirectives {
        name: "user",
        lines: vec![b"c on nopass".to_vec()],
    };
    config.rewrite(&[users]).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("user c on nopass\n\nloadmodule /m.so\nnot.a.bug 1\n"),
        "{text}"
    );
}

#[test]
fn rewriting_needs_a_file_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let error = Config::new().rewrite(&[]).unwrap_err().to_string();
    assert_eq!(error, "ERR The server is running without a config file");
    let directory = Directory::new();
    let file = directory.file("redis.conf", "port 1\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let link = directory.0.join("link.conf");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let config = load(&[link.to_str().unwrap()]).unwrap().config;
    config.set(&[(b"timeout", b"9")], Origin::Local).unwrap();
    config.rewrite(&[]).unwrap();
    assert!(link.is_symlink());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(fs::read_to_string(&file).unwrap().contains("timeout 9\n"));
}
