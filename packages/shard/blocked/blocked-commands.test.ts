/** Commands that wait in a shard: served in order within the change, ended once, and offers that main decides on. */

import { FrameKind, ReplyFlag, Unpark, Verdict } from '#link';
import { keyPerShard, keysOnShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, type ShardFrame } from '../machine.test-helper.ts';

const blocking = suite('blocked commands');

const [list = '', theirs = ''] = keyPerShard(2);
const [, other = ''] = keysOnShard(0, 2, 2);

/** The shard under test: the first of two. */
function newShard() {
  return new ShardsFixture(2).shards[0]!;
}
type Shard = ReturnType<typeof newShard>;

const said = (frames: readonly ShardFrame[]): (readonly [string, number, string?])[] =>
  frames.map(({ kind, slot, text }) => (kind === 'command' ? [kind, slot, text] : [kind, slot]));

function unpark(shard: Shard, slot: number, sequence: number, why: number = Unpark.timeout): void {
  shard.report({ kind: FrameKind.unpark, slot, sequence, word5: why }, Buffer.from('MOVED 1 h:1'));
}

/** Offers a command of a client; its number is the client's slot. */
function offer(shard: Shard, slot: number, line = `BLPOP ${list} ${theirs} 0`): ShardFrame[] {
  shard.send(line, { kind: FrameKind.offer, slot, sequence: 0, transaction: slot, lenders: 2 });
  return shard.run();
}

function judge(shard: Shard, slot: number, verdict: number): ShardFrame[] {
  shard.report({ kind: FrameKind.verdict, slot, sequence: slot, word5: verdict });
  return shard.run();
}

blocking('main is told how long a command may wait, and gets no reply', () => {
  const shard = newShard();
  shard.send(`BLPOP ${list} 2.5`, { slot: 1 });
  const [frame, ...more] = shard.run();
  assert.equal([frame!.kind, frame!.slot, more], ['parked', 1, []]);
  assert.is(Buffer.from(frame!.body).readDoubleLE(0), 2_500);
  assert.is(shard.page.get('blockingKeys'), 1);
});

blocking(
  'who wait are served in their order, by the change itself, before the next command',
  () => {
    const shard = newShard();
    for (const slot of [1, 2, 3]) shard.send(`BLPOP ${list} 0`, { slot });
    shard.run();
    shard.send(`RPUSH ${list} a b`, { slot: 8 });
    shard.send(`LLEN ${list}`, { slot: 9 });
    const pair = (value: string) => `*2\r\n$${list.length}\r\n${list}\r\n$1\r\n${value}\r\n`;
    assert.equal(said(shard.run()), [
      ['command', 8, ':2\r\n'],
      ['command', 1, pair('a')],
      ['command', 2, pair('b')],
      ['command', 9, ':0\r\n'],
    ]);
    assert.is(shard.keyCount, 0);
    assert.is(shard.page.get('blockingKeys'), 1, 'the third still waits');
  },
);

blocking('a command that is served makes another possible, within the same change', () => {
  const shard = newShard();
  shard.send(`BLPOP ${other} 0`, { slot: 1 });
  shard.send(`BLMOVE ${list} ${other} LEFT LEFT 0`, { slot: 2 });
  shard.run();
  shard.send(`RPUSH ${list} a`, { slot: 8 });
  assert.equal(
    said(shard.run()).map(([, slot]) => slot),
    [8, 2, 1],
  );
  assert.is(shard.keyCount, 0);
});

blocking('a key of another type serves nobody', () => {
  const shard = newShard();
  shard.send(`BLPOP ${list} 0`, { slot: 1 });
  shard.run();
  shard.send(`SET ${list} v`, { slot: 8 });
  assert.equal(said(shard.run()), [['command', 8, '+OK\r\n']]);
  shard.send(`DEL ${list}`, { slot: 8, kind: FrameKind.part });
  shard.send(`RPUSH ${list} a`, { slot: 8 });
  assert.equal(
    said(shard.run()).map(([kind, slot]) => [kind, slot]),
    [
      ['part', 8],
      ['command', 8],
      ['command', 1],
    ],
  );
});

blocking(
  'one who finds nothing when he is run again keeps his place, and main hears nothing',
  () => {
    const shard = newShard();
    for (const slot of [1, 2]) shard.send(`XREAD BLOCK 0 STREAMS ${list} 5-0`, { slot });
    shard.run();
    shard.send(`XADD ${list} 1-0 f v`, { slot: 8 });
    assert.equal(said(shard.run()), [['command', 8, '$3\r\n1-0\r\n']]);
    shard.send(`XADD ${list} 6-0 f v`, { slot: 8 });
    assert.equal(
      said(shard.run()).map(([kind, slot]) => [kind, slot]),
      [
        ['command', 8],
        ['command', 1],
        ['command', 2],
      ],
    );
  },
);

blocking('a wait that is ended is answered once, with what main says', () => {
  for (const [why, text] of [
    [Unpark.timeout, '*-1\r\n'],
    [Unpark.error, '-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n'],
    [Unpark.reported, '-MOVED 1 h:1\r\n'],
  ] as const) {
    const shard = newShard();
    const sequence = shard.send(`BLPOP ${list} 0`, { slot: 1 });
    shard.run();
    unpark(shard, 1, sequence, why);
    unpark(shard, 1, sequence, why);
    assert.equal(said(shard.run()), [
      ['unpark', 1],
      ['command', 1, text],
    ]);
    shard.send(`RPUSH ${list} a`, { slot: 8 });
    assert.equal(said(shard.run()), [['command', 8, ':1\r\n']], 'it waits no more');
  }
});

blocking('who was served before main’s word came gets nothing more', () => {
  const shard = newShard();
  const sequence = shard.send(`BLPOP ${list} 0`, { slot: 1 });
  shard.run();
  shard.send(`RPUSH ${list} a`, { slot: 8 });
  unpark(shard, 1, sequence);
  assert.equal(
    said(shard.run()).map(([kind, slot]) => [kind, slot]),
    [
      ['command', 8],
      ['command', 1],
    ],
  );
});

blocking('a word about an earlier command of the client ends no later wait', () => {
  const shard = newShard();
  const sequence = shard.send(`BLPOP ${list} 0`, { slot: 1 });
  shard.run();
  unpark(shard, 1, sequence - 1);
  assert.equal(shard.run(), []);
});

blocking('an offer says what is here, and holds the key until the verdict', () => {
  const shard = newShard();
  shard.call(`RPUSH ${list} a`);
  const [answer] = offer(shard, 1);
  assert.equal([answer!.kind, answer!.flags], ['offer', ReplyFlag.ready]);
  assert.is(Buffer.from(answer!.body).readDoubleLE(0), 0, 'its first key');
  shard.send(`LLEN ${list}`, { slot: 9 });
  assert.equal(shard.run(), []);
  assert.equal(
    said(judge(shard, 1, Verdict.run)).map(([kind, slot]) => [kind, slot]),
    [
      ['command', 1],
      ['command', 9],
    ],
  );
  assert.is(shard.keyCount, 0);
});

blocking('an offer that is another shard’s matter changes nothing', () => {
  const shard = newShard();
  shard.call(`RPUSH ${list} a`);
  offer(shard, 1);
  assert.equal(judge(shard, 1, Verdict.drop), []);
  assert.is(shard.call(`LLEN ${list}`), ':1\r\n');
});

/** A shard with clients who wait here and elsewhere. */
function parkedShard(...slots: readonly number[]): Shard {
  const shard = newShard();
  for (const slot of slots) {
    const [answer] = offer(shard, slot);
    assert.is(answer!.flags, ReplyFlag.waits);
    assert.equal(judge(shard, slot, Verdict.park), []);
  }
  return shard;
}

blocking(
  'one who waits on several shards is woken, and the key is his until main has decided',
  () => {
    const shard = parkedShard(1, 2);
    shard.send(`RPUSH ${list} a`, { slot: 8 });
    shard.send(`LLEN ${list}`, { slot: 9 });
    assert.equal(said(shard.run()), [
      ['command', 8, ':1\r\n'],
      ['wake', 1],
    ]);
    assert.equal(
      said(judge(shard, 1, Verdict.run)).map(([kind, slot]) => [kind, slot]),
      [
        ['command', 1],
        ['command', 9],
      ],
    );
  },
);

blocking('one who has left while he was woken makes way for the next', () => {
  const shard = parkedShard(1, 2);
  shard.send(`RPUSH ${list} a`, { slot: 8 });
  shard.run();
  assert.equal(said(judge(shard, 1, Verdict.drop)), [['wake', 2]]);
  assert.equal(
    said(judge(shard, 2, Verdict.run)).map(([kind, slot]) => [kind, slot]),
    [['command', 2]],
  );
  assert.equal([shard.keyCount, shard.call(`LLEN ${list}`)], [0, ':0\r\n']);
});

blocking('a verdict on an offer that is over concerns no later one of the client', () => {
  const shard = parkedShard(1);
  shard.report({ kind: FrameKind.verdict, slot: 1, sequence: 99, word5: Verdict.drop });
  assert.equal(shard.run(), []);
  shard.send(`RPUSH ${list} a`, { slot: 8 });
  assert.equal(
    said(shard.run()).map(([kind]) => kind),
    ['command', 'wake'],
  );
});

blocking('at a barrier nobody is served before it is over', () => {
  const shard = newShard();
  shard.send(`BLPOP ${list} 0`, { slot: 1 });
  shard.report({ kind: FrameKind.barrier, slot: 5 });
  shard.run();
  const passes = 1 << 11;
  assert.is(shard.call(`RPUSH ${list} a`, { slot: 5, flags: passes }), ':1\r\n');
  assert.is(shard.call(`LPOP ${list}`, { slot: 5, flags: passes }), '$1\r\na\r\n');
  shard.report({ kind: FrameKind.resume });
  assert.equal(shard.run(), [], 'what its transaction has made it has unmade');
});

/** Waits for an entry of a group of a stream that expires, or is evicted; returns the shard and its clock. */
function groupReader(): { shard: Shard; clock: ShardsFixture['clock'] } {
  const fixture = new ShardsFixture(2);
  const shard = fixture.shards[0]!;
  shard.call(`XGROUP CREATE ${list} g $ MKSTREAM`);
  shard.send(`XREADGROUP GROUP g c BLOCK 0 STREAMS ${list} >`, { slot: 1 });
  assert.equal(
    said(shard.run()).map(([kind]) => kind),
    ['parked'],
  );
  return { shard, clock: fixture.clock };
}

blocking('who waits is served by timed work, without another command', () => {
  const { shard, clock } = groupReader();
  shard.call(`PEXPIRE ${list} 50`);
  clock.advanceMs(60);
  for (let nth = 0; nth < 5; nth += 1) clock.advanceMs(100);
  const [[kind, slot, text] = ['', 0]] = said(shard.run());
  assert.equal([kind, slot], ['command', 1]);
  assert.match(text ?? '', /^-NOGROUP /);
});

blocking('at a barrier timed work serves nobody, and the thread may sleep', () => {
  const { shard, clock } = groupReader();
  shard.call(`PEXPIRE ${list} 50`);
  shard.report({ kind: FrameKind.barrier, slot: 5 });
  shard.run();
  clock.advanceMs(500);
  assert.equal(shard.run(), []);
  assert.ok(shard.machine.step() > 0);
  shard.report({ kind: FrameKind.resume });
  const frames = shard.run();
  assert.match(frames[0]?.text ?? '', /^-NOGROUP /);
});

blocking.run();
