//! The same command lines and input to both clients; output and exit code must be the same.

use std::process::Output;

use crate::Test;
use crate::process::{Client, Server};

pub(crate) const TESTS: &[Test] = &[
    ("differential::replies_formatted", replies_formatted),
    ("differential::replies_raw", replies_raw),
    ("differential::replies_csv_and_json", replies_csv_and_json),
    ("differential::one_shot", one_shot),
    (
        "differential::standard_input_as_argument",
        standard_input_as_argument,
    ),
    ("differential::authentication", authentication),
    ("differential::unreachable", unreachable_server),
    ("differential::eval", eval),
    ("differential::pipe", pipe),
    ("differential::scan", scan),
    ("differential::big_keys", big_keys),
    ("differential::hot_keys", hot_keys),
    ("differential::pushes", pushes),
    ("differential::unix_socket", unix_socket),
];

/// Every kind of reply, and lines that are hard to split.
const SCRIPT: &str = r#"
ping
PING "hello world"
echo 'it\'s'
set s "a\"b\\c\n\r\t\a\b\x00\xff"
get s
get missing
set key"" bar
get ""key
get "key"x
get "unterminated
get 'unterminated
strlen s
incr s
nosuchcommand with args
get
set n 10
incrby n 5
5 incr n
0 incr n
-1 incr n
incrbyfloat n 0.1
mget n missing s
rpush l a b "c d" 4
lrange l 0 -1
lrange missing 0 -1
lpop missing
lpop missing 2
lpop l 2
lpos l z
hset h f1 v1 f2 "v 2" f3 ""
hgetall h
hgetall missing
hget h f2
hmget h f1 nope
hrandfield missing 3 withvalues
hkeys h
sadd set 3 1 2
smembers set
smembers missing
smismember set 1 9
sadd strings one
smembers strings
zadd z 1 one 2.5 two 1e300 big +inf inf 0.1 tenth
zscore z two
zscore z missing
zrange z 0 -1 withscores
zrangebyscore z 1 3
zrange missing 0 -1
zmscore z one nope big
zpopmin z
zpopmax z 2
zincrby z 0.1 two
zadd z nan x
zrank z two
zrandmember missing 2 withscores
xadd st 1-1 f v g w
xadd st 1-2 f v
xrange st - +
xread count 5 streams st 0
xread count 5 streams missing 0
xinfo stream st
xgroup create st gr 0
xreadgroup group gr me count 1 streams st >
xpending st gr
xautoclaim st gr other 0 0
geoadd geo 13.361389 38.115556 "Palermo" 15.087269 37.502669 "Catania"
geopos geo Palermo missing
geodist geo Palermo Catania km
geosearch geo fromlonlat 15 37 byradius 200 km asc withcoord withdist count 2
bitfield bits set u8 0 255 get u4 0 overflow fail incrby u2 102 5
setbit bits 7 1
type h
type missing
exists h l missing
expire h 100
persist h
object encoding h
object help
command getkeys mset a 1 b 2
command info get nosuch
command list filterby pattern xin*
config get maxmem*
config get nosuch
config get save
acl whoami
acl list
acl getuser default
acl getuser nosuch
client getname
client setname me
client getname
client kickout
latency latest
latency doctor
memory usage missing
memory doctor
slowlog get 0
script exists abc def
eval "return {1, 'two', false, {3, {4, {}}}, 5.9}" 0
eval "return {err='MY error'}" 0
eval "return {ok='fine'}" 0
eval "return redis.status_reply('X')" 0
eval "redis.setresp(3); return redis.call('hgetall', KEYS[1])" 1 h
eval "redis.setresp(3); return {double=3.25}" 0
eval "redis.setresp(3); return {map={a=1}}" 0
eval "redis.setresp(3); return {set={a=true}}" 0
eval "redis.setresp(3); return true" 0
eval "local t={} for i=1,12 do t[i]={i,{'x'}} end return t" 0
debug protocol string
debug protocol integer
debug protocol double
debug protocol null
debug protocol array
debug protocol set
debug protocol map
debug protocol verbatim
debug protocol true
debug protocol false
multi
set a 1
get a
nosuch
hgetall h
exec
multi
set a 1
hgetall h
mget a b
exec
multi
select 3
discard
exec
select 2
set in2 x
dbsize
select 0
watch a
unwatch
publish ch msg
pubsub channels
pubsub numsub a b
pubsub numpat
wait 0 10
sort l alpha desc
dump missing
copy h h2
lcs s n idx
reset
ping
function list
cluster info
module list
   get   n   
help nosuchcommand
? nosuchcommand
:set hints
"":nothing
"#;

/// Runs both clients against an emptied server and compares.
fn compare_with(
    server: &Server,
    args: &[&str],
    stdin: &[u8],
    environment: &[(&str, &str)],
    normalize: fn(&[u8]) -> Vec<u8>,
) {
    let outputs = [Client::Theirs, Client::Ours].map(|client| {
        server.send("FLUSHALL\r\nCONFIG RESETSTAT\r\nFUNCTION FLUSH");
        server.send("HSET seed f v\r\nRPUSH seedlist a b");
        let port = server.port.to_string();
        let mut all = vec!["-p", port.as_str()];
        all.extend(args);
        client.run(&all, stdin, environment)
    });
    same(args, &outputs, normalize);
}

fn same(args: &[&str], [theirs, ours]: &[Output; 2], normalize: fn(&[u8]) -> Vec<u8>) {
    let show = |output: &Output| {
        format!(
            "{}--- standard error:\n{}--- {}\n",
            normalize(&output.stdout)
                .escape_ascii()
                .to_string()
                .replace("\\n", "\n"),
            normalize(&output.stderr)
                .escape_ascii()
                .to_string()
                .replace("\\n", "\n"),
            output.status
        )
    };
    let (theirs, ours) = (show(theirs), show(ours));
    if theirs != ours {
        let different = theirs
            .lines()
            .zip(ours.lines())
            .filter(|(one, other)| one != other);
        for (theirs, ours) in different.take(20) {
            eprintln!("theirs: {theirs}\nours:   {ours}");
        }
        panic!("{args:?} differs:\n=== theirs\n{theirs}\n=== ours\n{ours}");
    }
}

fn as_it_is(text: &[u8]) -> Vec<u8> {
    text.to_vec()
}

fn compare(server: &Server, args: &[&str], stdin: &str) {
    compare_with(server, args, stdin.as_bytes(), &[], as_it_is);
}

fn replies_formatted() {
    let server = Server::start(&[]);
    let script = SCRIPT.replace(":set hints\n\"\":nothing\n", "");
    for args in [&["--no-raw"][..], &["--no-raw", "-2"], &["--no-raw", "-3"]] {
        compare(&server, args, &script);
        compare_with(
            &server,
            &args[1..],
            script.as_bytes(),
            &[("FAKETTY", "1")],
            as_it_is,
        );
    }
}

fn replies_raw() {
    let server = Server::start(&[]);
    for args in [
        &[][..],
        &["-3"],
        &["-d", ", "],
        &["-D", "--\n", "-d", "", "-3"],
        &["-n", "3"],
    ] {
        compare(&server, args, SCRIPT);
    }
}

fn replies_csv_and_json() {
    let server = Server::start(&[]);
    for args in [
        &["--csv"][..],
        &["--csv", "-3"],
        &["--json"],
        &["--json", "-2"],
        &["--json", "-3"],
        &["--quoted-json"],
        &["--quoted-json", "-2"],
    ] {
        compare(&server, args, SCRIPT);
    }
}

fn one_shot() {
    let server = Server::start(&[]);
    for line in [
        "ping",
        "set a b",
        "get missing",
        "hgetall seed",
        "--no-raw hgetall seed",
        "--no-raw -3 hgetall seed",
        "--json hgetall seed",
        "nosuch",
        "-e nosuch",
        "-e get missing",
        "-e --no-raw incr seed",
        "-r 3 incr n",
        "-r 3 -i 0.01 --no-raw incr n",
        "-n 4 set a b",
        "-n 99 get a",
        "-n 99 -e get a",
        "--quoted-input get \"a\\x41\"",
        "--quoted-input get \"a",
        "--quoted-input get a\\ b",
        "config get port",
        "--no-raw client list x",
        "lrange seedlist 0 -1",
        "-d ; lrange seedlist 0 -1",
        "quit",
        "help nosuchcommand",
        "shutdown nosuch",
        "-x",
        "--nosuch",
        "ping -p",
        "--show-pushes no ping",
    ] {
        let args: Vec<String> = if line.contains("\\ ") {
            vec!["--quoted-input".into(), "get".into(), "\"a b\" c".into()]
        } else {
            line.split(' ').map(str::to_owned).collect()
        };
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        compare(&server, &args, "");
    }
    // A flag without its value has no port to be told of, hence the bare run.
    for args in [&["-p"][..], &["-n"], &["-X"]] {
        same(
            args,
            &[Client::Theirs, Client::Ours].map(|client| client.run(args, b"", &[])),
            as_it_is,
        );
    }
    let uri = format!("redis://127.0.0.1:{}/2", server.port);
    compare(&server, &["-u", &uri, "set", "a", "b"], "");
}

fn standard_input_as_argument() {
    let server = Server::start(&[]);
    compare(&server, &["-x", "echo"], "from\nstdin\0\n");
    compare(
        &server,
        &["-X", "tag", "mset", "a", "tag", "b", "c"],
        "value",
    );
    compare(&server, &["-X", "tag", "mset", "a", "b"], "value");
    compare(&server, &["--no-raw", "-x", "echo"], "");
}

fn authentication() {
    let server = Server::start(&["--requirepass", "secret"]);
    let run = |args: &[&str], environment: &[(&str, &str)]| {
        let port = server.port.to_string();
        let all = [&["-p", &port], args].concat();
        let clients = [Client::Theirs, Client::Ours];
        same(
            args,
            &clients.map(|client| client.run(&all, b"", environment)),
            as_it_is,
        );
    };
    run(&["ping"], &[]);
    run(&["-a", "secret", "ping"], &[]);
    run(&["-a", "wrong", "ping"], &[]);
    run(
        &["-a", "wrong", "--no-auth-warning", "-n", "1", "ping"],
        &[],
    );
    run(
        &["--pass", "secret", "--user", "default", "acl", "whoami"],
        &[],
    );
    run(&["--user", "nobody", "-a", "secret", "ping"], &[]);
    run(&["-3", "--no-auth-warning", "-a", "secret", "ping"], &[]);
    run(&["ping"], &[("REDISCLI_AUTH", "secret")]);
    run(&["ping"], &[("REDISCLI_AUTH", "wrong")]);
    run(
        &["--no-auth-warning", "-a", "secret", "ping"],
        &[("REDISCLI_AUTH", "wrong")],
    );
    let uri = format!("redis://default:se%63ret@127.0.0.1:{}", server.port);
    run(&["-u", &uri, "ping"], &[]);
}

fn unreachable_server() {
    for args in [
        &["-p", "1", "ping"][..],
        &["-s", "/nonexistent", "ping"],
        &["-p", "1"],
        &["-p", "1", "--scan"],
        &["-p", "1", "--eval", "/nonexistent"],
    ] {
        let clients = [Client::Theirs, Client::Ours];
        same(
            args,
            &clients.map(|client| client.run(args, b"", &[])),
            as_it_is,
        );
    }
}

fn eval() {
    let server = Server::start(&[]);
    let script = std::env::temp_dir().join(format!("compare-{}.lua", std::process::id()));
    std::fs::write(&script, "return {KEYS, ARGV, 'x'}").unwrap();
    let path = script.to_str().unwrap();
    compare(
        &server,
        &["--eval", path, "k1", "k2", ",", "a1", ",", "a2"],
        "",
    );
    compare(&server, &["--eval", path], "");
    compare(&server, &["--no-raw", "--eval", path, ",", "a"], "");
    compare(&server, &["--eval", "/nonexistent.lua"], "");
    std::fs::remove_file(script).unwrap();
}

fn pipe() {
    let server = Server::start(&[]);
    let mut commands = String::new();
    for number in 0..20_000 {
        commands.push_str(&format!(
            "*3\r\n$3\r\nSET\r\n$5\r\n{number:05}\r\n$1\r\nv\r\n"
        ));
    }
    compare(&server, &["--pipe"], &commands);
    compare(&server, &["--pipe"], "");
    compare(
        &server,
        &["--pipe"],
        "SET a b\r\nINCR a\r\nGET a\r\nLRANGE seedlist 0 -1",
    );
    compare(&server, &["--pipe", "--pipe-timeout", "5"], "PING\r\n");
}

fn scan() {
    let server = Server::start(&[]);
    let fill = "eval \"for i=1,500 do redis.call('set', 'key ' .. i, i) end\" 0";
    for client in [Client::Theirs, Client::Ours] {
        client.run(&["-p", &server.port.to_string()], fill.as_bytes(), &[]);
    }
    let run = |args: &[&str]| {
        let port = server.port.to_string();
        let all = [&["-p", &port], args].concat();
        let clients = [Client::Theirs, Client::Ours];
        same(
            args,
            &clients.map(|client| client.run(&all, b"", &[])),
            as_it_is,
        );
    };
    run(&["--scan"]);
    run(&["--scan", "--no-raw"]);
    run(&["--scan", "-3", "--pattern", "*1*"]);
    run(&["--scan", "--quoted-pattern", "\"key\\x201*\""]);
    run(&["--scan", "--quoted-pattern", "\"key"]);
}

/// The types come in the order of a hash table there, and in a fixed one here.
fn sorted_lines(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort();
    lines.concat()
}

fn big_keys() {
    let server = Server::start(&[]);
    let fill = "set s 12345\nset s2 123456789\nrpush l a b c\nsadd st 1 2\nhset h a 1 b 2\n\
                zadd z 1 a 2 b 3 c 4 d\nxadd x * a b\nset \"odd\\nname\" v\n";
    let mut outputs = Vec::new();
    for args in [
        &["--bigkeys"][..],
        &["--memkeys"],
        &["--memkeys-samples", "3"],
    ] {
        for client in [Client::Theirs, Client::Ours] {
            let port = server.port.to_string();
            server.send("FLUSHALL");
            Client::Theirs.run(&["-p", &port], fill.as_bytes(), &[]);
            outputs.push(client.run(&[&["-p", &port], args].concat(), b"", &[]));
        }
        let pair: [Output; 2] = std::mem::take(&mut outputs).try_into().unwrap();
        same(args, &pair, sorted_lines);
    }
}

fn hot_keys() {
    let server = Server::start(&["--maxmemory-policy", "allkeys-lfu"]);
    compare_with(&server, &["--hotkeys"], b"", &[], sorted_lines);
    let server = Server::start(&[]);
    compare_with(&server, &["--hotkeys"], b"", &[], sorted_lines);
}

fn pushes() {
    let server = Server::start(&[]);
    let script = b"client tracking on\nget a\nset a 1\nget a\nset a 2\nping\ndebug protocol push\n";
    for args in [
        &["-3"][..],
        &["-3", "--show-pushes", "no"],
        &["-3", "--json"],
    ] {
        compare_with(&server, args, script, &[("FAKETTY", "1")], as_it_is);
        compare_with(&server, args, script, &[], as_it_is);
    }
}

fn unix_socket() {
    let socket = std::env::temp_dir().join(format!("compare-{}.sock", std::process::id()));
    let path = socket.to_str().unwrap();
    let _server = Server::start(&["--unixsocket", path]);
    let args = ["-s", path, "--no-raw", "hgetall", "seed"];
    same(
        &args,
        &[Client::Theirs, Client::Ours].map(|client| client.run(&args, b"", &[])),
        as_it_is,
    );
}
