"""What an application does with redis-py. usage: redis_py_sync.py PORT PROTOCOL"""

import sys
import threading
import time
import warnings

import redis

# Deprecated in the library is not the same as out of use.
warnings.simplefilter("ignore", DeprecationWarning)

port, protocol = int(sys.argv[1]), int(sys.argv[2])
client = redis.Redis(port=port, protocol=protocol, decode_responses=True)
checks = 0


def expect(got, wanted):
    global checks
    checks += 1
    assert got == wanted, f"check {checks}: got {got!r}, expected {wanted!r}"


def expect_error(kind, text, call, *args, **options):
    global checks
    checks += 1
    try:
        got = call(*args, **options)
    except kind as error:
        assert text in str(error), f"check {checks}: {error!r} lacks {text!r}"
    else:
        raise AssertionError(f"check {checks}: got {got!r}, expected an error with {text!r}")


client.flushall()
expect(client.ping(), True)
expect(client.echo("hello"), "hello")

# Strings and counters.
expect(client.set("k", "v"), True)
expect(client.get("k"), "v")
expect(client.get("none"), None)
expect(client.set("k", "w", nx=True), None)
expect(client.set("k", "w", xx=True, get=True), "v")
expect(client.set("k", "x", ex=100), True)
expect(client.ttl("k"), 100)
expect(client.set("k", "y", keepttl=True), True)
expect(client.ttl("k"), 100)
expect(client.append("k", "z"), 2)
expect(client.strlen("k"), 2)
expect(client.getset("k", "new"), "yz")
expect(client.setnx("k", "other"), False)
expect(client.setex("short", 10, "v"), True)
expect(client.psetex("shorter", 10_000, "v"), True)
expect(client.mset({"a": 1, "b": 2, "c": 3}), True)
expect(client.mget("a", "none", "c"), ["1", None, "3"])
expect(client.incr("n"), 1)
expect(client.incrby("n", 10), 11)
expect(client.decr("n"), 10)
expect(client.decrby("n", 7), 3)
expect_error(redis.ResponseError, "not an integer", client.incr, "k")

# Keys.
expect(client.exists("a", "b", "none"), 2)
expect(client.delete("a", "none"), 1)
expect(client.unlink("b"), 1)
expect(client.type("c"), "string")
expect(client.expire("c", 100), True)
expect(client.pexpire("c", 50_000), True)
expect(client.expire("c", 100, nx=True), False)
expect(client.persist("c"), True)
expect(client.ttl("c"), -1)
expect(client.pttl("none"), -2)
expect(sorted(client.keys("*")), sorted(["k", "short", "shorter", "c", "n"]))
expect(sorted(client.scan_iter("sh*")), ["short", "shorter"])
expect(client.dbsize(), 5)

# Lists.
expect(client.lpush("l", "b", "a"), 2)
expect(client.rpush("l", "c", "d"), 4)
expect(client.lrange("l", 0, -1), ["a", "b", "c", "d"])
expect(client.lindex("l", -1), "d")
expect(client.llen("l"), 4)
expect(client.lpop("l"), "a")
expect(client.rpop("l", 2), ["d", "c"])
expect(client.lpop("none"), None)
expect(client.lpop("none", 3), None)

# Sets.
expect(client.sadd("s", "a", "b", "c"), 3)
expect(client.smembers("s"), {"a", "b", "c"})
expect(bool(client.sismember("s", "a")), True)
expect(client.scard("s"), 3)
expect(client.srem("s", "a", "none"), 1)
popped = client.spop("s")
expect(popped in {"b", "c"}, True)
expect(set(client.spop("s", 5)), {"b", "c"} - {popped})
expect(client.smembers("s"), set())

# Hashes.
expect(client.hset("h", mapping={"name": "Ada", "born": 1815}), 2)
expect(client.hget("h", "name"), "Ada")
expect(client.hget("h", "none"), None)
expect(client.hgetall("h"), {"name": "Ada", "born": "1815"})
expect(client.hmget("h", "name", "none"), ["Ada", None])
expect(client.hlen("h"), 2)
expect(client.hdel("h", "born", "none"), 1)
expect(client.hgetall("none"), {})

# Sorted sets. The two protocols shape pairs differently; redis-py evens some of that out.
expect(client.zadd("z", {"a": 1, "b": 2.5, "c": 3}), 3)
expect(client.zadd("z", {"a": 0}, gt=True), 0)
expect(client.zadd("z", {"a": 2}, incr=True), 3.0)
expect(client.zscore("z", "b"), 2.5)
expect(client.zscore("z", "none"), None)
expect(client.zrank("z", "b"), 0)
expect(client.zcard("z"), 3)
expect(client.zrange("z", 0, -1), ["b", "a", "c"])
expect(client.zrange("z", 0, 0, desc=True), ["c"])
expect(client.zrange("z", "(2.5", "+inf", byscore=True), ["a", "c"])
expect([tuple(pair) for pair in client.zrange("z", 0, 1, withscores=True)], [("b", 2.5), ("a", 3.0)])
expect(client.zrevrange("z", 0, 0), ["c"])
expect([pair[0] for pair in client.zpopmin("z", 2)], ["b", "a"])
expect(client.zrem("z", "c"), 1)

# Wrong types arrive as errors and leave the connection usable.
expect_error(redis.ResponseError, "WRONGTYPE", client.lpush, "k", "x")
expect(client.get("k"), "new")

# A pipeline keeps its order, errors among the replies included.
pipeline = client.pipeline(transaction=False)
for i in range(1000):
    pipeline.set(f"p:{i}", i)
    pipeline.get(f"p:{i}")
replies = pipeline.execute()
expect(replies[1::2], [str(i) for i in range(1000)])
pipeline.set("p", "text").incr("p").get("p")
replies = pipeline.execute(raise_on_error=False)
expect([type(reply).__name__ for reply in replies], ["bool", "ResponseError", "str"])

# Bytes stay bytes.
binary = redis.Redis(port=port, protocol=protocol)
everything = bytes(range(256)) * 300
expect(binary.set(everything[:256], everything), True)
expect(binary.get(everything[:256]), everything)
expect(binary.delete(everything[:256]), 1)

# The server about itself.
expect(client.config_get("maxmemory"), {"maxmemory": "0"})
expect(client.config_set("maxmemory", "100mb"), True)
expect(client.config_get("maxmemory")["maxmemory"], str(100 * 1024 * 1024))
expect(client.config_set("maxmemory", 0), True)
expect("redis_version" in client.info("server"), True)
expect(client.info("keyspace")["db0"]["keys"] > 1000, True)
expect(client.client_setname("tester"), True)
expect(client.client_getname(), "tester")
expect(client.client_id() > 0, True)
expect([c["name"] for c in client.client_list() if c["name"] == "tester"], ["tester"])
expect(abs(client.time()[0] - time.time()) < 5, True)
expect(client.object("encoding", "k"), "embstr")
expect(client.command_count() > 50, True)
expect("get" in client.command(), True)

# Databases.
other = redis.Redis(port=port, protocol=protocol, db=9, decode_responses=True)
expect(other.dbsize(), 0)
other.set("only", "here")
expect(client.get("only"), None)
expect(other.flushdb(), True)

# A key that expires.
client.set("soon", "v", px=40)
time.sleep(0.08)
expect(client.get("soon"), None)

# A client with a name and library information of its own; redis-py sends them when it connects.
named = redis.Redis(port=port, protocol=protocol, client_name="named", decode_responses=True)
expect(named.client_getname(), "named")
info = named.client_info()
expect((info["name"], info["resp"], info["lib-name"][:8]), ("named", str(protocol), "redis-py"))

# Threads share a pool.
pool = redis.ConnectionPool(port=port, protocol=protocol, max_connections=20)


def work():
    mine = redis.Redis(connection_pool=pool)
    for _ in range(200):
        mine.incr("shared")
        mine.lpush("queue", "x")
        mine.rpop("queue")


threads = [threading.Thread(target=work) for _ in range(10)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
expect(client.get("shared"), "2000")
expect(client.llen("queue"), 0)

# Another client ends a connection; the library connects again by itself.
victim = redis.Redis(port=port, protocol=protocol)
identity = victim.client_id()
expect(client.client_kill_filter(_id=identity), 1)
expect(victim.ping(), True)
expect(victim.client_id() != identity, True)

client.flushall()
expect(client.dbsize(), 0)
print(f"redis-py {redis.__version__}, RESP{protocol}: {checks} checks")
