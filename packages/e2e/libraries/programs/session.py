"""What applications do with redis-py: values, pipelines, transactions, pub/sub, blocking, scripts, scans. Port: argv[1]."""

import sys
import threading

import redis

client = redis.Redis(port=int(sys.argv[1]), client_name="session-py", health_check_interval=1)
binary = bytes(range(256))

assert client.set("py:binary", binary) and client.get("py:binary") == binary
large = b"x" * 3_000_000
assert client.set("py:large", large) and client.get("py:large") == large
assert client.get("py:missing") is None

pipeline = client.pipeline(transaction=False)
for number in range(1_000):
    pipeline.rpush("py:list", number)
assert pipeline.execute()[-1] == 1_000

with client.pipeline() as transaction:
    transaction.watch("py:counter")
    transaction.multi()
    transaction.incr("py:counter")
    transaction.hset("py:hash", mapping={"a": 1, "b": 2})
    assert transaction.execute() == [1, 2]
assert client.hgetall("py:hash") == {b"a": b"1", b"b": b"2"}

try:
    client.lpush("py:hash", 1)
    raise SystemExit("an error was expected")
except redis.ResponseError as error:
    assert str(error).startswith("WRONGTYPE"), error

subscriber = client.pubsub(ignore_subscribe_messages=True)
subscriber.subscribe("py:channel")
subscriber.get_message(timeout=10)
assert client.publish("py:channel", "hello") == 1
message = None
while message is None:
    message = subscriber.get_message(timeout=10)
assert message["data"] == b"hello", message
subscriber.close()

pusher = threading.Thread(target=lambda: redis.Redis(port=int(sys.argv[1])).rpush("py:queue", "job"))
pusher.start()
assert client.blpop("py:queue", timeout=30) == (b"py:queue", b"job")
pusher.join()

script = client.register_script("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}")
assert script(keys=["py:scripted"], args=["x"]) == [b"py:scripted", b"x", 1]

client.mset({f"py:scan:{number}": number for number in range(500)})
assert len(set(client.scan_iter("py:scan:*", count=50))) == 500

client.xadd("py:stream", {"field": "value"})
assert client.xrange("py:stream")[0][1] == {b"field": b"value"}
print("done")
