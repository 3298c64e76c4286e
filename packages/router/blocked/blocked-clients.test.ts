/**
 * Blocked clients: on one shard, on several by offers and verdicts, and those that disconnect or are unblocked
 * meanwhile.
 */

import { CommandError, errors, keySlot } from '#base';
import { FrameKind, ReplyFlag, Unpark, Verdict } from '#link';
import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RouterFixture, shown, type PlayedClient, type SentFrame } from '../router.test-helper.ts';

const blockedClients = suite('blocked clients');

const [a = '', b = ''] = keyPerShard(2);
/** No key is there, and no limit of time. */
const NOTHING_THERE = [-1, 0];

const verdicts = (frames: readonly SentFrame[][]): (number | string)[][] =>
  frames.map((list) => list.map(({ kind, word5 }) => (kind === 'verdict' ? word5 : kind)));

/** A client that waits for keys of both shards, and the offer that each of them was made. */
function parkedOnBoth() {
  const main = new RouterFixture(2);
  const client = main.newClient();
  client.send(`BLPOP ${a} ${b} 0`);
  const offers = main.sent().map(([offer]) => offer!);
  for (const [shard, offer] of offers.entries()) {
    main.shards[shard]!.signal(FrameKind.offer, offer, ReplyFlag.waits, NOTHING_THERE);
  }
  assert.equal(verdicts(main.sent()), [[Verdict.park], [Verdict.park]]);
  assert.ok(client.client.wait.isBlocked);
  return { main, client, offers };
}

/** Wakes the client by a shard's word. */
function wake(main: RouterFixture, shard: number, offer: SentFrame): void {
  main.shards[shard]!.signal(FrameKind.wake, offer);
}

blockedClients('on one shard: the next command of the client is held until the answer', () => {
  const main = new RouterFixture(2);
  const client = main.newClient();
  client.send(`BLPOP ${a} 0`);
  assert.is(client.send(`GET ${b}`), 'held');
  const [[frame] = [], others] = main.sent();
  assert.equal([shown([frame!]), others], [[`command BLPOP ${a} 0`], []]);
  main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
  main.turn();
  assert.equal([client.client.wait.isBlocked, main.page.get('blockedClients')], [true, 1]);
  main.shards[0]!.reply(frame!, '+popped\r\n');
  main.turn();
  assert.equal([client.client.wait.isBlocked, main.page.get('blockedClients')], [false, 0]);
  assert.equal([client.received(), client.socket.resumes], ['+popped\r\n', 1]);
  assert.is(client.send(`GET ${b}`), 'taken');
});

blockedClients('waits for keys whose slot has left are ended with what is to be said', () => {
  const main = new RouterFixture(2);
  main.router.blockedClients.hasSlots = true;
  const client = main.newClient();
  client.send(`BLPOP ${a} 0`);
  const [[frame] = []] = main.sent();
  main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
  main.turn();
  const asked: (string | number)[][] = [];
  main.router.blockedClients.judge((_, entry, slot) => {
    asked.push([entry.name, slot]);
    return new CommandError('MOVED 1 host:7000');
  });
  const key = Buffer.from(a);
  assert.equal(asked, [['BLPOP', keySlot(key, 0, key.length)]]);
  const [[unpark] = []] = main.sent();
  assert.equal([unpark!.kind, unpark!.word5], ['unpark', Unpark.reported]);
});

blockedClients('on one shard: the shard decides, also when the client is to be unblocked', () => {
  const main = new RouterFixture(2);
  const client = main.newClient();
  client.send(`BLPOP ${a} 0`);
  const [[frame] = []] = main.sent();
  main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
  main.turn();
  const ended: boolean[] = [];
  client.client.wait.unblock!(errors.unblocked, (isDone) => ended.push(isDone));
  client.client.wait.unblock!(errors.unblocked, (isDone) => ended.push(isDone));
  const [[unpark, ...more] = []] = main.sent();
  assert.equal([unpark!.kind, unpark!.word5, more], ['unpark', Unpark.error, []]);
  assert.equal([client.received(), ended], ['', []]);
  main.shards[0]!.signal(FrameKind.unpark, frame!);
  main.shards[0]!.reply(frame!, '-UNBLOCKED\r\n');
  main.turn();
  assert.equal([client.received(), ended], ['-UNBLOCKED\r\n', [true, false]], 'only the first has');
});

blockedClients(
  'on one shard: who is served while somebody wants to unblock him was not unblocked',
  () => {
    const main = new RouterFixture(2);
    const client = main.newClient();
    client.send(`BLPOP ${a} 0`);
    const [[frame] = []] = main.sent();
    main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
    main.turn();
    const ended: boolean[] = [];
    client.client.wait.unblock!(undefined, (isDone) => ended.push(isDone));
    main.shards[0]!.reply(frame!, '+popped\r\n');
    main.turn();
    assert.equal([client.received(), ended], ['+popped\r\n', [false]]);
  },
);

blockedClients(
  'a client that leaves is unblocked, and an answer that was under way is for nobody',
  () => {
    const main = new RouterFixture(2);
    const client = main.newClient();
    client.send(`BLPOP ${a} 0`);
    const [[frame] = []] = main.sent();
    main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
    main.turn();
    client.leave();
    const [[unpark] = []] = main.sent();
    assert.equal([unpark!.kind, unpark!.slot], ['unpark', client.client.slot]);
    assert.is.not(main.newClient().client.slot, client.client.slot, 'the slot is not free before');
    main.shards[0]!.reply(frame!, '+popped\r\n');
    main.turn();
    assert.equal([client.client.replies.outstanding, main.page.get('blockedClients')], [0, 0]);
    assert.is(main.newClient().client.slot, client.client.slot);
  },
);

blockedClients('a client that has left before it was said that it waits is let go then', () => {
  const main = new RouterFixture(2);
  const client = main.newClient();
  client.send(`BLPOP ${a} 0`);
  const [[frame] = []] = main.sent();
  client.leave();
  assert.equal(main.sent(), [[], []]);
  main.shards[0]!.signal(FrameKind.parked, frame!, 0, [0]);
  const [[unpark] = []] = main.sent();
  assert.is(unpark!.kind, 'unpark');
});

blockedClients(
  'on several shards: the key that comes first in the command wins, whoever answers first',
  () => {
    const main = new RouterFixture(2);
    const client = main.newClient();
    client.send(`BLPOP ${b} ${a} 0`);
    const [[first] = [], [second] = []] = main.sent();
    assert.equal([first!.kind, second!.kind], ['offer', 'offer']);
    main.shards[0]!.signal(FrameKind.offer, first!, ReplyFlag.ready, [1, -1]);
    assert.equal(main.sent(), [[], []], 'one of two has answered');
    main.shards[1]!.signal(FrameKind.offer, second!, ReplyFlag.ready, [0, -1]);
    assert.equal(verdicts(main.sent()), [[Verdict.drop], [Verdict.run]]);
    main.shards[1]!.reply(second!, '+of b\r\n');
    main.turn();
    assert.is(client.received(), '+of b\r\n');
    assert.is(main.page.get('blockedClients'), 0);
  },
);

blockedClients(
  'on several shards: the first that wakes runs it, and the other is told that it is over',
  () => {
    const { main, client, offers } = parkedOnBoth();
    wake(main, 1, offers[1]!);
    wake(main, 0, offers[0]!);
    assert.equal(
      verdicts(main.sent()),
      [[Verdict.run], [Verdict.drop]],
      'in the order of the rings',
    );
    main.shards[0]!.reply(offers[0]!, '+of a\r\n');
    main.turn();
    assert.is(client.received(), '+of a\r\n');
    assert.equal(main.sent(), [[], []]);
    assert.is.not(client.client.wait.isBlocked, true);
  },
);

blockedClients(
  'on several shards: one that leaves while he is served is answered once, and forgotten',
  () => {
    const { main, client, offers } = parkedOnBoth();
    wake(main, 1, offers[1]!);
    assert.equal(verdicts(main.sent()), [[Verdict.drop], [Verdict.run]]);
    client.leave();
    assert.equal(verdicts(main.sent()), [[], []], 'it is decided: nothing more can be said');
    assert.is(client.client.replies.outstanding, 1);
    main.shards[1]!.reply(offers[1]!, '+lost\r\n');
    main.turn();
    assert.is(client.client.replies.outstanding, 0);
    assert.is(main.newClient().client.slot, client.client.slot);
  },
);

blockedClients('on several shards: one that leaves while he waits gives up on all of them', () => {
  const { main, client, offers } = parkedOnBoth();
  client.leave();
  wake(main, 1, offers[1]!);
  assert.equal(verdicts(main.sent()), [[Verdict.drop], [Verdict.drop]]);
  assert.equal([client.client.replies.outstanding, main.page.get('blockedClients')], [0, 0]);
});

blockedClients(
  'on several shards: what was there and is gone is asked for anew, under another number',
  () => {
    const { main, client, offers } = parkedOnBoth();
    wake(main, 0, offers[0]!);
    assert.equal(verdicts(main.sent()), [[Verdict.run], [Verdict.drop]]);
    main.shards[0]!.signal(FrameKind.parked, offers[0]!, 0, [0]);
    const again = main.sent().map(([offer]) => offer!);
    assert.equal(
      again.map(({ kind, sequence }) => [kind, sequence]),
      offers.map(({ sequence }) => ['offer', sequence]),
    );
    assert.is.not(again[0]!.transaction, offers[0]!.transaction);
    wake(main, 1, offers[1]!);
    assert.equal(main.sent(), [[], []], 'a word about the offer before is meant for nobody');
    main.shards[0]!.signal(FrameKind.offer, again[0]!, ReplyFlag.waits, NOTHING_THERE);
    main.shards[1]!.signal(FrameKind.offer, again[1]!, ReplyFlag.ready, [1, -1]);
    const judged = main.sent();
    assert.equal(verdicts(judged), [[Verdict.drop], [Verdict.run]]);
    const { transaction } = again[0]!;
    assert.ok(
      judged.every(([verdict]) => verdict!.sequence === transaction),
      'of the new offer',
    );
    main.shards[1]!.reply(again[1]!, '+of b\r\n');
    main.turn();
    assert.is(client.received(), '+of b\r\n');
  },
);

blockedClients(
  'on several shards: an unblock while it is asked again comes after what is there',
  () => {
    const { main, client, offers } = parkedOnBoth();
    wake(main, 0, offers[0]!);
    main.sent();
    main.shards[0]!.signal(FrameKind.parked, offers[0]!, 0, [0]);
    const again = main.sent().map(([offer]) => offer!);
    unblock(client);
    assert.is(client.received(), '');
    for (const [shard, offer] of again.entries()) {
      main.shards[shard]!.signal(FrameKind.offer, offer, ReplyFlag.waits, NOTHING_THERE);
    }
    assert.equal(verdicts(main.sent()), [[Verdict.drop], [Verdict.drop]]);
    assert.is(client.received(), '*-1\r\n');
  },
);

blockedClients('on several shards: a refusal of one is the answer, whatever another has', () => {
  const main = new RouterFixture(2);
  const client = main.newClient();
  client.send(`XREAD BLOCK 0 STREAMS ${a} ${b} 0 0`);
  const [[first] = [], [second] = []] = main.sent();
  main.shards[0]!.signal(FrameKind.offer, first!, ReplyFlag.ready, [0, -1]);
  main.shards[1]!.signal(FrameKind.offer, second!, ReplyFlag.error, [1, -1]);
  assert.equal(verdicts(main.sent()), [[Verdict.drop], [Verdict.run]]);
  main.shards[1]!.reply(second!, '-WRONGTYPE\r\n');
  main.turn();
  assert.is(client.received(), '-WRONGTYPE\r\n');
});

function unblock({ client }: PlayedClient): void {
  client.wait.unblock!(undefined, () => undefined);
}

blockedClients.run();
