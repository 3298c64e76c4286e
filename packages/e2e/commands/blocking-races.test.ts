/** Waits over shards that meet expiry, hanging up, muted replies and each other. */
// test-tier: long
import { once } from 'node:events';
import net from 'node:net';
import { textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  blocked,
  call,
  client,
  newClient,
  placedKeys,
  server,
  serveBlocked,
  waiting,
} from './blocked-clients.ts';

const blocking = suite('blocking commands against the clock and each other');

const { here, near, far, third } = placedKeys('race');

serveBlocked(blocking);

blocking('keys that expire while shards agree on them leave nobody waiting for good', async () => {
  const answered = async (nth: number): Promise<void> => {
    const made = await newClient();
    const key = `${here}:${nth}`;
    const keys = [here, near, far, third].map((name) => `${name}:${nth}`);
    for (let round = 0; round < 10; round += 1) {
      await made.pipeline([
        ['RPUSH', key, 'x'],
        ['PEXPIRE', key, '1'],
        ['BLPOP', ...keys, '0.02'],
      ]);
    }
  };
  await Promise.all(Array.from({ length: 50 }, async (_, nth) => answered(nth)));
  await blocked(0);
  // A key that a shard still held would hold this up.
  assert.type(await client.call('DBSIZE'), 'number');
});

for (const line of [`BLPOP ${here} ${far} 0`, `BRPOPLPUSH ${here} ${far} 0`, `BLPOP ${here} 0`]) {
  blocking(`who hangs up behind ${line} waits for nothing`, async () => {
    const socket = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    const closed = once(socket.resume(), 'close');
    socket.end(`${line}\r\n`);
    await once(socket, 'end');
    await closed;
    await blocked(0);
  });
}

for (const [line, push] of [
  [`BRPOPLPUSH ${here} ${far} 0`, `RPUSH ${here} x`],
  [`BLPOP ${here} ${far} 0.05`, 'PING'],
] as const) {
  blocking(`CLIENT REPLY SKIP holds for ${line} however long it waits`, async () => {
    const of = await newClient();
    of.raw(`CLIENT REPLY SKIP\r\n${line}\r\nECHO next\r\n`);
    const next = of.receive();
    await blocked(1);
    await call(client, push);
    assert.is(textOf(await next), 'next');
  });
}

for (const line of [
  `BLPOP ${here} ${near} 0`,
  `BLPOP ${here} ${far} 0`,
  `BLMOVE ${here} ${far} LEFT LEFT 0`,
]) {
  blocking(`CLIENT UNBLOCK ends ${line} though shards have not come to it`, async () => {
    const [of, sleeper] = [await newClient(), await newClient()];
    const id = textOf(await of.call('CLIENT', 'ID'));
    for (const [kept, unblocked, reply] of [
      [false, 1, null],
      [true, 0, 'x'],
    ] as const) {
      if (kept) await client.call('RPUSH', here, 'x');
      const slept = sleeper.call('DEBUG', 'SLEEP', '0.3');
      const command = line.split(' ', 1)[0]!.toLowerCase();
      const answer = call(of, line);
      await until(async () => {
        const list = textOf(await client.call('CLIENT', 'LIST', 'ID', id));
        return list.includes(` cmd=${command} `);
      }, 'main has sent the command on');
      assert.is(await client.call('CLIENT', 'UNBLOCK', id), unblocked);
      const answered = await answer;
      assert.equal(Array.isArray(answered) ? answered[1] : answered, reply);
      await slept;
      await blocked(0);
    }
    assert.is(await of.call('PING'), 'PONG');
  });
}

blocking('one push serves all who wait for it with lent keys, and those behind them', async () => {
  const lines = [1, 2, 3].map(() => `BRPOPLPUSH ${here} ${far} 0`);
  lines.push(`BLPOP ${here} 0`, `BLPOP ${here} ${third} 0`);
  const replies: Promise<unknown>[] = [];
  for (const line of lines) replies.push((await waiting(line, replies.length + 1)).reply);
  await client.call('RPUSH', here, 'e', 'd', 'a', 'b', 'c');
  assert.equal(await Promise.all(replies), ['c', 'b', 'a', [here, 'e'], [here, 'd']]);
  await blocked(0);
});

blocking('a push wakes one of those who wait with lent keys, not all of them', async () => {
  const lendings = async (): Promise<number> =>
    Number(/\nlent_commands:(\d+)/.exec(textOf(await client.call('INFO', 'everything')))?.[1]);
  const waitingClients = 100;
  for (let nth = 1; nth <= waitingClients; nth += 1)
    await waiting(`BRPOPLPUSH ${here} ${far} 0`, nth);
  const before = await lendings();
  for (let nth = 1; nth <= waitingClients; nth += 1) {
    await client.call('RPUSH', here, 'x');
    await blocked(waitingClients - nth);
  }
  assert.is((await lendings()) - before, waitingClients);
});

blocking.run();
