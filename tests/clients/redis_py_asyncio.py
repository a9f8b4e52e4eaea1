"""What an asyncio application does with redis-py. usage: redis_py_asyncio.py PORT PROTOCOL"""

import asyncio
import sys

import redis
import redis.asyncio

port, protocol = int(sys.argv[1]), int(sys.argv[2])
checks = 0


def expect(got, wanted):
    global checks
    checks += 1
    assert got == wanted, f"check {checks}: got {got!r}, expected {wanted!r}"


async def worker(number):
    """Every worker has a connection, and its own keys beside the shared ones."""
    client = redis.asyncio.Redis(port=port, protocol=protocol, decode_responses=True)
    async with client:
        for i in range(50):
            await client.set(f"own:{number}", i)
            await client.incr("shared")
            await client.zadd("board", {f"player:{number}": i})
            await client.hset("totals", f"worker:{number}", i)
            await client.rpush("jobs", f"{number}:{i}")
            expect(await client.get(f"own:{number}"), str(i))
    return number


async def main():
    client = redis.asyncio.Redis(port=port, protocol=protocol, decode_responses=True)
    async with client:
        await client.flushall()
        expect(await client.ping(), True)
        numbers = await asyncio.gather(*(worker(number) for number in range(40)))
        expect(sorted(numbers), list(range(40)))
        expect(await client.get("shared"), "2000")
        expect(await client.llen("jobs"), 2000)
        expect(await client.zcard("board"), 40)
        expect(await client.hgetall("totals"), {f"worker:{n}": "49" for n in range(40)})
        expect(len(set(await client.lrange("jobs", 0, -1))), 2000)

        # Two thousand pops from many connections give every job once.
        async def drain():
            mine, jobs = redis.asyncio.Redis(port=port, protocol=protocol), []
            async with mine:
                while (job := await mine.lpop("jobs")) is not None:
                    jobs.append(job)
            return jobs

        drained = await asyncio.gather(*(drain() for _ in range(20)))
        jobs = [job for part in drained for job in part]
        expect((len(jobs), len(set(jobs))), (2000, 2000))

        # A pipeline, an error in it, and the iterators.
        pipeline = client.pipeline(transaction=False)
        for i in range(500):
            pipeline.sadd("members", f"m{i}")
        expect(sum(await pipeline.execute()), 500)
        pipeline.set("text", "x").incr("text").get("text")
        replies = await pipeline.execute(raise_on_error=False)
        expect(isinstance(replies[1], redis.ResponseError), True)
        expect((replies[0], replies[2]), (True, "x"))
        expect(len(await client.smembers("members")), 500)
        expect(len([key async for key in client.scan_iter("own:*", count=5)]), 40)

        # A thousand requests at once wait for the connections of one pool.
        pool = redis.asyncio.BlockingConnectionPool(port=port, protocol=protocol, max_connections=50)
        burst = redis.asyncio.Redis(connection_pool=pool)
        counts = await asyncio.gather(*(burst.incr("burst") for _ in range(1000)))
        expect(sorted(counts), list(range(1, 1001)))
        await pool.disconnect()

        await client.flushall()
        expect(await client.dbsize(), 0)
    print(f"redis-py {redis.__version__} with asyncio, RESP{protocol}: {checks} checks")


asyncio.run(main())
