// test-process: own
import { collectGarbage } from '#base';
import { Arguments, commandTable } from '#commands';
import { Request } from '#link';
import { CommandParser, ParsedCommand } from '#resp';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandQueue } from './command-queue.ts';

const queues = suite('command queue');

/** Bytes of a queued PING; Redis takes 97. */
const PING_BYTES_MAX = 48;
const PAYLOAD_HEAD_BYTES = 8;
const PIECE_BYTES = 128 * 1024;

function add(queue: CommandQueue, ...words: readonly string[]): void {
  const parsed = new ParsedCommand();
  const bulk = words.map((word) => `$${String(word.length)}\r\n${word}\r\n`).join('');
  const bytes = Buffer.from(`*${String(words.length)}\r\n${bulk}`);
  new CommandParser(parsed, { bulkBytesMax: 1024 }).next(bytes, 0, bytes.length);
  queue.add(commandTable.byName(words[0]!)!, parsed);
}

queues('gives the commands back in their order', () => {
  const queue = new CommandQueue();
  const expected: string[][] = [];
  for (let nth = 0; nth < 1_000; nth += 1) {
    const words = ['MSET', ...new Array<string>(2 * (1 + (nth % 5))).fill(`word${String(nth)}`)];
    add(queue, ...words);
    expected.push(words);
  }
  const args = new Arguments();
  const pointed: string[][] = [];
  for (const entry of queue.pointAtEach(args)) {
    assert.is(entry.name, 'MSET');
    pointed.push(Array.from({ length: args.count }, (_, index) => args.latin1(index)));
  }
  assert.equal(pointed, expected);
  const owned = [...queue.commands()].map(({ command }) => {
    args.point(command.source, command.at, command.spans, 0, command.count);
    return Array.from({ length: args.count }, (_, index) => args.latin1(index));
  });
  assert.equal(owned, expected);
  assert.is(queue.count, expected.length);
});

queues('takes less memory for short commands than Redis does', () => {
  const queue = new CommandQueue();
  const count = 87_000;
  for (let nth = 0; nth < count; nth += 1) add(queue, 'PING');
  assert.ok(
    queue.payloadBytes <= PAYLOAD_HEAD_BYTES + count * PING_BYTES_MAX,
    String(queue.payloadBytes / count),
  );
  assert.ok(queue.memoryBytes <= queue.payloadBytes + 2 * PIECE_BYTES, String(queue.memoryBytes));
});

queues('takes no memory but what it tells, however large it grows', async () => {
  const queue = new CommandQueue();
  const bytes = (): number => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = bytes();
  for (let nth = 0; nth < 100_000; nth += 1) add(queue, 'GET', `key:${String(nth)}`);
  // V8 frees buffers in a thread of its own.
  await until(() => bytes() - before <= 1.1 * queue.memoryBytes, 'what it outgrew is freed');
});

queues('knows what its commands need', () => {
  const queue = new CommandQueue();
  assert.is(queue.isForOneShard, true);
  add(queue, 'GET', 'key');
  assert.equal([queue.hasWrites, queue.deniesOom, queue.needsShards], [false, false, true]);
  add(queue, 'SET', 'key', 'value');
  assert.equal([queue.hasWrites, queue.deniesOom, queue.isForOneShard], [true, true, true]);
  add(queue, 'DBSIZE');
  assert.is(queue.isForOneShard, false);
});

queues('the payload names the client and its database in every command', () => {
  const queue = new CommandQueue();
  add(queue, 'GET', 'a');
  add(queue, 'GET', 'b');
  const head = { flags: 0, database: 3, connection: 7, transaction: 9, lenders: 2 };
  const payload = queue.payload(head);
  const words = new Int32Array(payload.buffer, 0, payload.length >>> 2);
  assert.equal([...words.subarray(0, 2)], [9, 2]);
  const first = 2;
  const second = first + (words[first]! >> 2);
  for (const at of [first, second]) {
    assert.is(words[at + Request.connection], 7);
    assert.is(words[at + Request.kind]! >>> 16, 3);
  }
});

queues('the payload of no commands is empty but for its head', () => {
  const head = { flags: 0, database: 0, connection: 0, transaction: 1, lenders: 0 };
  assert.is(new CommandQueue().payload(head).length, 8);
});

queues.run();
