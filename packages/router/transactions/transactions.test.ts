/** Transactions: what is queued and refused, who runs them, watches over several shards, and barriers. */

import { errors } from '#base';
import { FrameKind, ReplyFlag } from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, shown, type PlayedClient, type SentFrame } from '../router.test-helper.ts';

const transactions = suite('transactions');

const [a = '', b = '', c = ''] = keyPerShard(3);
const [, a2 = '', a3 = ''] = keysOnShard(0, 3, 3);
const [, b2 = ''] = keysOnShard(1, 3, 2);

/** Sends lines, and drops what main has answered at once. */
function send(client: PlayedClient, ...lines: readonly string[]): void {
  for (const line of lines) assert.is(client.send(line), 'taken', line);
}

const kinds = (frames: readonly SentFrame[][]): string[] =>
  frames.map((list) => shown(list).join());

transactions('is queued on main, and goes whole to the shard that has most of its keys', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  send(client, 'MULTI', `SET ${b} 1`, `SET ${a} 1`, `GET ${a2}`);
  assert.is(client.received(), '+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n');
  assert.equal(kinds(main.sent()), ['', '', ''], 'nothing is sent before EXEC');
  send(client, 'EXEC', 'PING');
  const [[exec] = [], [lend] = [], others] = main.sent();
  assert.equal([exec!.kind, lend!.kind, others], ['exec', 'lend', []]);
  assert.equal([exec!.lenders, lend!.args, lend!.sequence], [1, [b], exec!.transaction]);
  main.shards[0]!.reply(exec!, '*0\r\n');
  main.turn();
  assert.is(client.received(), '*0\r\n+PONG\r\n');
});

transactions('a queued command that is refused breaks it, and nothing is sent', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  for (const fault of [`GET ${a} ${b}`, 'NOSUCH', `WATCH`]) {
    send(client, 'MULTI', `SET ${a} 1`, fault, `SET ${b} 1`, 'EXEC');
    assert.match(client.received(), /\r\n-EXECABORT [^\r]*\r\n$/, fault);
  }
  assert.equal(kinds(main.sent()), ['', '', '']);
  send(client, 'EXEC');
  assert.match(client.received(), /^-ERR EXEC without MULTI/);
});

transactions(
  'an EXEC that is refused for its slot says so, and for anything else that it is aborted',
  () => {
    const main = new RouterFixture(1);
    const client = main.newClient();
    for (const [refusal, answer] of [
      [errors.moved(7, 'h:1'), 'MOVED 7 h:1'],
      [errors.crossSlot, errors.crossSlot.text],
      [errors.outOfMemory, errors.execRefused(errors.outOfMemory).text],
    ] as const) {
      main.refusedExec = refusal;
      send(client, 'MULTI', `SET ${a} 1`, 'EXEC');
      assert.is(client.received(), `+OK\r\n+QUEUED\r\n-${answer}\r\n`);
      main.refusedExec = undefined;
      send(client, 'EXEC');
      assert.match(client.received(), /^-ERR EXEC without MULTI/);
    }
  },
);

transactions('WATCH inside is an error that breaks nothing', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  send(client, 'MULTI', `WATCH ${a}`, `SET ${a} 1`, 'EXEC');
  assert.match(client.received(), /^\+OK\r\n-ERR WATCH inside MULTI[^\r]*\r\n\+QUEUED\r\n$/);
  assert.is(main.sent()[0]![0]!.kind, 'exec');
});

transactions(
  'watched keys of other shards are a part of its keys, judged by those who lend',
  () => {
    const main = new RouterFixture(3);
    const client = main.newClient();
    send(client, `WATCH ${b} ${c}`);
    const [, [watchB] = [], [watchC] = []] = main.sent();
    main.shards[1]!.part(watchB!, null);
    main.shards[2]!.part(watchC!, null);
    main.turn();
    assert.is(client.received(), '+OK\r\n');
    send(client, 'MULTI', `SET ${a} 1`, `SET ${a2} 1`, 'EXEC');
    const [[exec] = [], [lendB] = [], [lendC] = []] = main.sent();
    assert.equal([exec!.kind, exec!.lenders], ['exec', 2]);
    for (const lend of [lendB!, lendC!]) {
      assert.equal(
        [lend.kind, lend.word5],
        ['lend', client.client.slot + 1],
        'it is told the watcher',
      );
    }
    assert.is(client.client.watches.keys.size, 0, 'EXEC ends the watches');
  },
);

transactions('UNWATCH, DISCARD and leaving tell the shards that know, and no others', () => {
  const main = new RouterFixture(3);
  const watching = (): PlayedClient => {
    const client = main.newClient();
    send(client, `WATCH ${b}`);
    main.shards[1]!.part(main.sent()[1]![0]!, null);
    main.turn();
    return client;
  };
  const first = watching();
  send(first, 'UNWATCH');
  assert.equal(kinds(main.sent()), ['', 'unwatch', '']);
  send(first, 'UNWATCH');
  assert.equal(kinds(main.sent()), ['', '', '']);
  send(watching(), 'MULTI', `SET ${a} 1`, 'DISCARD');
  assert.equal(kinds(main.sent()), ['', 'unwatch', '']);
  watching().leave();
  assert.equal(kinds(main.sent()), ['', 'unwatch', '']);
});

transactions('EXEC that finds a ring full has done nothing, and may be sent again', () => {
  const main = new RouterFixture(3, 1_024);
  const client = main.newClient();
  const filler = main.newClient();
  send(client, 'MULTI', `SET ${a} 1`, `MSET ${a2} 1 ${a3} 1`, `MSET ${b} 1 ${b2} 1`);
  while (filler.send(`GET ${b}`) === 'taken');
  assert.is(client.send('EXEC'), 'full');
  main.router.publish();
  assert.equal(main.shards[0]!.take(), []);
  for (const frame of main.shards[1]!.take()) main.shards[1]!.reply(frame, '$-1\r\n');
  main.turn();
  send(client, 'EXEC');
  assert.equal(
    main.sent().map((frames) => frames.map(({ kind }) => kind)),
    [['exec'], ['lend'], []],
  );
});

/** A client whose transaction waits for all three shards to stop, and their frames. */
function atBarrier(...lines: readonly string[]) {
  const main = new RouterFixture(3);
  const client = main.newClient();
  send(client, 'MULTI', ...lines, 'EXEC');
  const barriers = main.sent().map(([frame]) => frame!);
  assert.equal(
    barriers.map(({ kind }) => kind),
    ['barrier', 'barrier', 'barrier'],
  );
  client.received();
  return { main, client, barriers };
}

transactions('one with a command of all shards begins when the last of them stands still', () => {
  const { main, client, barriers } = atBarrier(`SET ${a} 1`, 'DBSIZE', `GET ${b}`);
  assert.is(client.send('PING'), 'held', 'nothing else of the client is taken meanwhile');
  for (const shard of [2, 0]) {
    main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!);
    assert.equal(kinds(main.sent()), ['', '', '']);
  }
  main.shards[1]!.signal(FrameKind.barrier, barriers[1]!);
  const [[set, size0] = [], [size1, get] = [], [size2] = []] = main.sent();
  assert.equal(shown([set!, size0!]), [`command SET ${a} 1`, 'part DBSIZE']);
  assert.equal(shown([size1!, get!, size2!]), ['part DBSIZE', `command GET ${b}`, 'part DBSIZE']);
  main.shards[0]!.reply(set!, '+OK\r\n');
  for (const [shard, size] of [size0, size1, size2].entries()) {
    main.shards[shard]!.part(size!, shard);
  }
  main.turn();
  assert.is(client.received(), '', 'the reply is one');
  main.shards[1]!.reply(get!, '$-1\r\n');
  assert.equal(kinds(main.sent()), ['resume', 'resume', 'resume']);
  assert.is(client.received(), '*3\r\n+OK\r\n:3\r\n$-1\r\n');
  assert.is(client.socket.resumes, 1);
});

transactions('at a barrier, one of all keys is alone once keys were lent', () => {
  const { main, barriers } = atBarrier(
    `SINTERSTORE ${a} ${a2} ${b}`,
    `SET ${c} 1`,
    'DBSIZE',
    `GET ${c}`,
  );
  for (const shard of [0, 1, 2]) main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!);
  const [[host] = [], [lend] = [], [set, ...none] = []] = main.sent();
  assert.equal(
    [host!.kind, lend!.kind, shown([set!]), none],
    ['host', 'lend', [`command SET ${c} 1`], []],
  );
  main.shards[2]!.reply(set!, '+OK\r\n');
  assert.equal(kinds(main.sent()), ['', '', '']);
  main.shards[0]!.reply(host!, ':0\r\n');
  const sizes = main.sent().map(([size]) => size!);
  assert.equal(shown(sizes), ['part DBSIZE', 'part DBSIZE', 'part DBSIZE']);
  for (const [shard, size] of sizes.entries()) {
    assert.equal(kinds(main.sent()), ['', '', ''], 'a shard may still wait for its keys');
    main.shards[shard]!.part(size, 1);
  }
  assert.equal(kinds(main.sent()), ['', '', `command GET ${c}`]);
});

transactions("at a barrier, main's own command is run when all before it are answered", () => {
  const { main, client, barriers } = atBarrier(`SET ${a} 1`, 'LASTSAVE', 'PING', `GET ${b}`);
  for (const shard of [0, 1, 2]) main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!);
  const [[set] = [], ...others] = main.sent();
  assert.equal([shown([set!]), others], [[`command SET ${a} 1`], [[], []]]);
  main.shards[0]!.reply(set!, '+OK\r\n');
  const [, [get] = []] = main.sent();
  assert.is(get!.args[0], 'GET');
  main.shards[1]!.reply(get!, '$-1\r\n');
  main.turn();
  assert.match(client.received(), /^\*4\r\n\+OK\r\n[^P]*\+PONG\r\n\$-1\r\n$/);
});

transactions('at a barrier, only so many commands are under way at once', () => {
  const { main, client, barriers } = atBarrier(
    'FLUSHALL',
    ...Array.from({ length: 5_000 }, () => 'DBSIZE'),
  );
  for (const shard of [0, 1, 2]) main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!);
  const counts: number[] = [];
  for (;;) {
    const frames = main.sent();
    if (frames[0]![0]?.kind === 'resume') break;
    counts.push(frames[0]!.length);
    for (const [shard, parts] of frames.entries()) {
      for (const part of parts) {
        main.shards[shard]!.part(part, part.args[0] === 'FLUSHALL' ? null : 1);
        main.turn();
      }
    }
  }
  assert.is(
    counts.reduce((sum, count) => sum + count),
    5_001,
  );
  assert.ok(Math.max(...counts) <= 4_096, counts.join());
  assert.ok(client.received().endsWith(':3\r\n:3\r\n'));
});

transactions(
  'short ones that only read need no barrier, and hold up nothing of their client',
  () => {
    const main = new RouterFixture(3);
    const client = main.newClient();
    send(client, `GET ${c}`, 'MULTI', 'DBSIZE', `GET ${b}`, 'EXEC', 'PING', `GET ${b2}`);
    const [[size0] = [], [size1, get, after] = [], [before, size2] = []] = main.sent();
    assert.equal(shown([size1!, get!, after!]), [
      'part DBSIZE',
      `command GET ${b}`,
      `command GET ${b2}`,
    ]);
    main.shards[1]!.reply(get!, '$1\r\nb\r\n');
    main.shards[1]!.reply(after!, '$-1\r\n');
    for (const [shard, size] of [size0, size1, size2].entries()) main.shards[shard]!.part(size!, 1);
    main.turn();
    assert.is(client.received(), '', 'replies to what was sent before come first');
    main.shards[2]!.reply(before!, '+before\r\n');
    main.turn();
    assert.is(
      client.received(),
      '+before\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n:3\r\n$1\r\nb\r\n+PONG\r\n$-1\r\n',
    );
  },
);

transactions(
  'those that only read are sent whole, or at a barrier where a ring has no room',
  () => {
    const main = new RouterFixture(3, 1_024);
    const client = main.newClient();
    const filler = main.newClient();
    send(client, 'MULTI', 'DBSIZE', 'DBSIZE');
    main.sent();
    for (let nth = 0; nth < 8; nth += 1) send(filler, `GET ${b}`);
    assert.is(client.send('EXEC'), 'taken');
    const [first = [], second = [], third = []] = main.sent();
    assert.equal(
      [first, second.slice(8), third].map((frames) => shown(frames)),
      [['barrier'], ['barrier'], ['barrier']],
    );
  },
);

for (const [what, lines] of [
  ['longer', Array.from({ length: 33 }, () => 'DBSIZE')],
  ['writing', ['DBSIZE', `SET ${a} 1`]],
  ['waiting', ['DBSIZE', `XREAD BLOCK 0 STREAMS ${a} $`]],
  ["main's", ['DBSIZE', 'LASTSAVE']],
] as const) {
  transactions(`${what} ones have their barrier`, () => {
    atBarrier(...lines);
  });
}

transactions('a watch broken on any shard ends one at a barrier before its first command', () => {
  const { main, client, barriers } = atBarrier(`SET ${a} 1`, 'FLUSHALL');
  for (const shard of [0, 1, 2]) {
    const flags = shard === 1 ? ReplyFlag.watchBroken : 0;
    main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!, flags);
  }
  assert.equal(kinds(main.sent()), ['resume', 'resume', 'resume']);
  assert.is(client.received(), '*-1\r\n');
});

transactions('one at a barrier goes through to its end though its client has left', () => {
  const { main, client, barriers } = atBarrier('FLUSHALL');
  client.leave();
  for (const shard of [0, 1, 2]) main.shards[shard]!.signal(FrameKind.barrier, barriers[shard]!);
  const flushes = main.sent().map(([flush]) => flush!);
  assert.equal(shown(flushes), ['part FLUSHALL', 'part FLUSHALL', 'part FLUSHALL']);
  assert.is.not(main.newClient().client.slot, client.client.slot);
  for (const [shard, flush] of flushes.entries()) main.shards[shard]!.part(flush, null);
  assert.equal(kinds(main.sent()), ['resume', 'resume', 'resume']);
  assert.is(main.newClient().client.slot, client.client.slot, 'now its slot is free');
});

transactions('replies to what was sent before come before that of a barrier', () => {
  const main = new RouterFixture(3);
  const client = main.newClient();
  send(client, `GET ${c}`, 'MULTI', 'FLUSHALL', 'EXEC');
  const [[stopA] = [], [stopB] = [], [get, stopC] = []] = main.sent();
  for (const [shard, frame] of [stopA, stopB, stopC].entries()) {
    main.shards[shard]!.signal(FrameKind.barrier, frame!);
  }
  assert.equal(kinds(main.sent()), ['', '', ''], 'its own reply would come too early');
  main.shards[2]!.reply(get!, '+before\r\n');
  const flushes = main.sent().map(([flush]) => flush!);
  assert.is(client.received(), '+before\r\n+OK\r\n+QUEUED\r\n');
  for (const [shard, flush] of flushes.entries()) main.shards[shard]!.part(flush, null);
  main.turn();
  assert.is(client.received(), '*1\r\n+OK\r\n');
});

/** A client whose transaction is done, and waits for the logs of both shards. */
function atPrepare() {
  const main = new RouterFixture(2, 16_384, true);
  const client = main.newClient();
  send(client, 'MULTI', 'FLUSHALL', 'EXEC');
  const barriers = main.sent().map(([frame]) => frame!);
  for (const [shard, frame] of barriers.entries()) {
    main.shards[shard]!.signal(FrameKind.barrier, frame);
  }
  const flushes = main.sent().map(([flush]) => flush!);
  client.received();
  return { main, client, flushes };
}

transactions('in the logs of all shards before any of them goes on', () => {
  const { main, client, flushes } = atPrepare();
  for (const [shard, flush] of flushes.entries()) main.shards[shard]!.part(flush, null);
  const prepares = main.sent().map(([prepare]) => prepare!);
  assert.equal(kinds([prepares]), ['prepare,prepare']);
  main.shards[0]!.signal(FrameKind.prepare, prepares[0]!);
  assert.equal([kinds(main.sent()), client.received()], [['', ''], '']);
  main.shards[1]!.signal(FrameKind.prepare, prepares[1]!);
  assert.equal(kinds(main.sent()), ['resume', 'resume']);
  assert.is(client.received(), '*1\r\n+OK\r\n');
});

transactions(
  'the slot of one who has left is not free before the logs have its transaction',
  () => {
    const { main, client, flushes } = atPrepare();
    client.leave();
    for (const [shard, flush] of flushes.entries()) main.shards[shard]!.part(flush, null);
    const prepares = main.sent().map(([prepare]) => prepare!);
    assert.is.not(main.newClient().client.slot, client.client.slot);
    for (const [shard, prepare] of prepares.entries()) {
      main.shards[shard]!.signal(FrameKind.prepare, prepare);
    }
    main.turn();
    assert.is(main.newClient().client.slot, client.client.slot);
  },
);

transactions.run();
