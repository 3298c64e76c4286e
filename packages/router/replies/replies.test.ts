/**
 * Frames of shards: replies in order, parked only for a slower shard, combined, forwarded, and dropped for disconnected
 * clients.
 */

import { errors } from '#base';
import { CONTINUED, FrameKind, ReplyFlag, UNSAFE_KIND } from '#link';
import { keyPerShard } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encodedPart, RouterFixture, type SentFrame } from '../router.test-helper.ts';

const replies = suite('replies');

const [a = '', b = ''] = keyPerShard(2);

/** A client that has sent these, and the frames at each shard. */
function fixture(...lines: readonly string[]) {
  const main = new RouterFixture(2);
  const client = main.newClient();
  for (const line of lines) client.send(line);
  const [first = [], second = []] = main.sent();
  return { main, client, first, second };
}

replies('of two shards in one turn are given without parking any', () => {
  const { main, client, first, second } = fixture(`GET ${a}`, `GET ${b}`, `GET ${a}`, `GET ${b}`);
  // Main reads shard 0 first, and would have to put its second reply aside.
  for (const frame of first) main.shards[0]!.reply(frame, `+${frame.sequence}\r\n`);
  for (const frame of second) main.shards[1]!.reply(frame, `+${frame.sequence}\r\n`);
  main.router.drain();
  assert.is(client.received(), '+0\r\n+1\r\n+2\r\n+3\r\n');
  assert.is(client.parkings, 0);
});

replies('of one client that waits for a slower shard hold up no other client', () => {
  const { main, client, second } = fixture(`GET ${a}`, `GET ${b}`);
  const other = main.newClient();
  other.send(`GET ${b}`);
  const [, [frame] = []] = main.sent();
  main.shards[1]!.reply(second[0]!, '+early\r\n');
  main.shards[1]!.reply(frame!, '+other\r\n');
  main.turn();
  assert.equal([client.received(), other.received()], ['', '+other\r\n']);
  assert.is(client.parkings, 1);
});

replies('are counted with their time, as many as a frame has', () => {
  const { main, first } = fixture(`GET ${a}`, `GET ${a}`, `GET ${a}`);
  main.shards[0]!.reply(first[0]!, '+1\r\n+2\r\n+3\r\n', 3);
  main.turn();
  assert.is(main.page.get('replies'), 3);
});

replies('whose writes may not be kept are errors, each of them', () => {
  const { main, client, first } = fixture(`SET ${a} 1`, `SET ${a} 2`, 'PING');
  const [{ slot, sequence }] = first as [SentFrame, ...SentFrame[]];
  const head = { slot, sequence, count: 2, flags: ReplyFlag.unsafe };
  main.shards[0]!.send(FrameKind.command | UNSAFE_KIND, head, Buffer.from('+OK\r\n+OK\r\n'));
  main.turn();
  const line = `-${errors.unsafeReply.message}\r\n`;
  assert.is(client.received(), `${line}${line}+PONG\r\n`);
});

replies('of a command over several shards are an error when one part may not be kept', () => {
  const { main, client, first, second } = fixture(`DEL ${a} ${b}`);
  main.shards[0]!.part(first[0]!, 1);
  main.shards[1]!.part(second[0]!, 1, ReplyFlag.unsafe);
  main.turn();
  assert.is(client.received(), `-${errors.unsafeReply.message}\r\n`);
});

replies('in pieces are put together, also when another part ends in between', () => {
  const { main, client, first, second } = fixture(`MGET ${a} ${b} ${a}`);
  const [frame] = first as [SentFrame];
  const values = [Buffer.from('one'), Buffer.from('two')];
  const whole = encodedPart(frame, values);
  // A piece ends with a value.
  const end = encodedPart(frame, values.slice(0, 1)).length;
  main.shards[0]!.send(FrameKind.part | CONTINUED, frame, whole.subarray(0, end));
  main.turn();
  main.shards[1]!.part(second[0]!, [Buffer.from('other')]);
  main.turn();
  assert.is(client.received(), '', 'a piece that goes on completes nothing');
  main.shards[0]!.send(FrameKind.part, frame, whole.subarray(end));
  main.turn();
  assert.is(client.received(), '*3\r\n$3\r\none\r\n$5\r\nother\r\n$3\r\ntwo\r\n');
});

replies('of parts for a client who has left go nowhere, and free its slot', () => {
  const { main, client, first, second } = fixture(`DEL ${a} ${b}`);
  client.leave();
  main.shards[0]!.part(first[0]!, 1);
  main.turn();
  assert.is.not(main.newClient().client.slot, client.client.slot);
  main.shards[1]!.part(second[0]!, 1);
  main.turn();
  assert.is(main.newClient().client.slot, client.client.slot);
});

for (const kind of ['copies', 'returned'] as const) {
  replies(`${kind} are passed on to the shard that they are for, as they are`, () => {
    const { main } = fixture();
    main.shards[0]!.send(FrameKind[kind], { slot: 1, sequence: 7 }, Buffer.from('some keys'));
    main.router.drain();
    main.router.publish();
    assert.equal(main.shards[0]!.take(), []);
    const frame = main.shards[1]!.takeOne();
    assert.equal([frame.kind, frame.body], [kind, 'some keys']);
  });
}

replies('words about a client whose slot is free are passed over', () => {
  const { main, client, first } = fixture(`BLPOP ${a} 0`);
  main.shards[0]!.reply(first[0]!, '*-1\r\n');
  main.turn();
  client.leave();
  for (const kind of [FrameKind.parked, FrameKind.unpark, FrameKind.wake, FrameKind.offer]) {
    main.shards[0]!.signal(kind, first[0]!, 0, [0, 0]);
  }
  main.turn();
  assert.equal(main.sent(), [[], []]);
  assert.is(main.page.get('blockedClients'), 0);
});

replies.run();
