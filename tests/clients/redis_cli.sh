#!/usr/bin/env bash
# A session with redis-cli, as people and scripts use it. usage: redis_cli.sh PORT
set -euo pipefail
shopt -s lastpipe

port=$1
checked=0

# expect NAME WANTED: compares the standard input with WANTED.
expect() {
    local got
    got=$(cat)
    if [[ $got != "$2" ]]; then
        printf 'redis-cli, %s:\n--- expected\n%s\n--- got\n%s\n' "$1" "$2" "$got" >&2
        exit 1
    fi
    checked=$((checked + 1))
}

cli() { redis-cli -p "$port" "$@"; }

cli FLUSHALL | expect "flush" "OK"

# Commands as arguments, and the plain form that redis-cli prints into a pipe.
cli SET greeting "hello world" | expect "set" "OK"
cli GET greeting | expect "get" "hello world"
cli GET nothing | expect "missing" ""
cli INCR counter | expect "incr" "1"
cli RPUSH list a b c | expect "rpush" "3"
cli LRANGE list 0 -1 | expect "lrange" $'a\nb\nc'
cli INCR greeting | expect "error" "ERR value is not an integer or out of range"
cli NOSUCH a b | expect "unknown" "ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' "

# The form for people.
cli --no-raw GET greeting | expect "quoted" '"hello world"'
cli --no-raw GET nothing | expect "nil" "(nil)"
cli --no-raw LRANGE list 0 -1 | expect "numbered" $'1) "a"\n2) "b"\n3) "c"'
cli --no-raw LRANGE none 0 -1 | expect "empty" "(empty array)"
cli --csv LRANGE list 0 -1 | expect "csv" '"a","b","c"'
cli --no-raw INCR greeting | expect "error for people" "(error) ERR value is not an integer or out of range"

# RESP3.
cli HSET hash field value | expect "hset" "1"
cli -3 --no-raw HGETALL hash | expect "map" '1# "field" => "value"'
cli -3 --no-raw GET nothing | expect "null" "(nil)"
cli ZADD scores 1.5 a 2 b | expect "zadd" "2"
cli -3 --no-raw ZSCORE scores a | expect "double" "(double) 1.5"

# Commands on the standard input, and values on it.
printf 'SET one 1\nINCR one\nGET one\n' | cli | expect "standard input" $'OK\n2\n2'
printf 'from a pipe' | cli -x SET piped | expect "-x" "OK"
cli GET piped | expect "-x value" "from a pipe"
cli -r 3 INCR repeated | expect "-r" $'1\n2\n3'

# Databases.
cli -n 5 SET here yes | expect "-n" "OK"
cli -n 5 GET here | expect "-n get" "yes"
cli GET here | expect "database 0" ""
cli -n 5 DBSIZE | expect "dbsize" "1"

# SCAN in its wrappings.
for i in $(seq 1 300); do printf 'SET scan:%03d %d\n' "$i" "$i"; done | cli | sort -u | expect "load" "OK"
cli --scan --pattern 'scan:*' | sort | expect "--scan" "$(seq -f 'scan:%03g' 1 300)"
cli --scan --pattern 'scan:29?' | wc -l | tr -d ' ' | expect "--scan pattern" "10"

# Mass insertion of raw protocol.
for i in $(seq 1 1000); do printf '*3\r\n$3\r\nSET\r\n$8\r\nmass%04d\r\n$1\r\nx\r\n' "$i"; done |
    cli --pipe | tail -1 | expect "--pipe" "errors: 0, replies: 1000"
cli GET mass1000 | expect "--pipe value" "x"

# A report that uses INFO, TYPE, STRLEN, LLEN and the like.
cli --bigkeys | grep '^Sampled' | expect "--bigkeys" "Sampled 1308 keys in the keyspace!"

# Errors set the exit code when asked to.
if cli -e INCR greeting >/dev/null 2>&1; then
    echo "redis-cli -e must fail" >&2
    exit 1
fi

# A name, and a password that is set and taken back.
printf 'CLIENT SETNAME reporter\nCLIENT GETNAME\n' | cli | expect "name" $'OK\nreporter'
cli CONFIG SET requirepass secret | expect "set a password" "OK"
cli GET greeting | expect "without it" "NOAUTH Authentication required."
cli --no-auth-warning -a secret GET greeting | expect "-a" "hello world"
REDISCLI_AUTH=secret cli CONFIG SET requirepass "" | expect "no password" "OK"

cli FLUSHALL | expect "flush again" "OK"
cli DBSIZE | expect "empty" "0"
echo "redis-cli: $checked checks"
