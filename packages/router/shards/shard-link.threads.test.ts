/**
 * Frames to another thread, those too large for the ring by message: in order, whole, and there when
 * their frame is.
 */
import {
  receiveMessageOnPort,
  isMainThread,
  MessageChannel,
  Worker,
  workerData,
} from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { asBuffer } from '#base';
import {
  layoutOf,
  LinkMemory,
  type LinkShape,
  Request,
  REQUEST_HEADER_BYTES,
  RingReader,
  RingWriter,
  TRANSFERRED,
} from '#link';
import { ParsedCommand } from '#resp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyHead, ShardLink } from './shard-link.ts';

interface Task {
  readonly memory: WebAssembly.Memory;
  readonly port: MessagePort;
}

const SHAPE: LinkShape = {
  shards: 1,
  requestRingBytes: 4_096,
  replyRingBytes: 4_096,
  logRingBytes: 0,
  readBytes: 64,
  blocks: 1,
  blockBytes: 64,
};
const COMMANDS = 3_000;
/** Under, at and over the largest frame of such a ring, which is a quarter of it. */
const LENGTHS = [0, 5, 100, 950, 975, 976, 977, 1_000, 1_024, 3_000, 100_000];

const lengthOf = (nth: number): number => LENGTHS[(nth * 7) % LENGTHS.length]!;
const valueOf = (nth: number): string => String.fromCharCode(97 + (nth % 26)).repeat(lengthOf(nth));

/** Takes every frame and looks at its arguments; an assertion that fails ends the thread. */
function readAll({ memory, port }: Task): void {
  const link = new LinkMemory(memory);
  const reader = new RingReader(link, layoutOf(SHAPE).requests[0]!);
  for (let nth = 0; nth < COMMANDS;) {
    const at = reader.next();
    if (at < 0) {
      if (reader.release()) port.postMessage('room');
      reader.sleep(Infinity);
      continue;
    }
    checkFrame(link, at, port, nth);
    reader.advance(link.words[at >> 2]!);
    nth += 1;
  }
  reader.release();
  port.postMessage('done');
  port.close();
}

function checkFrame(link: LinkMemory, at: number, port: MessagePort, nth: number): void {
  const word = at >> 2;
  assert.is(link.words[word + Request.sequence], nth);
  assert.is(link.words[word + Request.argumentCount], 2);
  const bodyBytes = link.words[word + Request.bodyBytes]!;
  let spans: Int32Array = link.words.subarray(word + Request.spans, word + Request.spans + 4);
  let body = link.bytes.subarray((word + Request.spans + 4) << 2);
  if ((link.words[word + Request.kind]! & TRANSFERRED) !== 0) {
    const received = receiveMessageOnPort(port)?.message as ArrayBuffer;
    // In front is room for the frame's head.
    spans = new Int32Array(received, REQUEST_HEADER_BYTES, 4);
    body = new Uint8Array(received, REQUEST_HEADER_BYTES + 16);
  }
  const text = asBuffer(body).toString('latin1', 0, bodyBytes);
  assert.is(text.slice(spans[0], spans[0]! + spans[1]!), `n${nth}`);
  assert.is(text.slice(spans[2], spans[2]! + spans[3]!), valueOf(nth));
}

const links = suite('shard link');

function commandOf(nth: number): ParsedCommand {
  const command = new ParsedCommand();
  const name = `n${nth}`;
  command.source = Buffer.from(`..${name}--${valueOf(nth)}`, 'latin1');
  command.at = 2;
  command.push(0, name.length);
  command.push(name.length + 2, lengthOf(nth));
  command.length = name.length + 2 + lengthOf(nth);
  return command;
}

links('passes commands of every size to the thread, in order', async () => {
  const layout = layoutOf(SHAPE);
  const memory = LinkMemory.allocate(layout.bytes);
  const { port1, port2 } = new MessageChannel();
  const task: Task = { memory: memory.memory, port: port2 };
  const worker = new Worker(new URL(import.meta.url), { workerData: task, transferList: [port2] });
  const link = new ShardLink(
    0,
    memory,
    new RingWriter(memory, layout.requests[0]!),
    new RingReader(memory, layout.replies[0]!),
    {
      send: (body) => port1.postMessage(body, [body]),
      receive: () => {
        throw new Error('the thread sends no body');
      },
    },
  );
  let sent = 0;
  let stalls = 0;
  const pump = (): void => {
    while (sent < COMMANDS) {
      const command = commandOf(sent);
      const size = link.frameSize(command.count, command.length);
      const at = link.reserve(size);
      if (at < 0) break;
      link.writeCommand(at, size, { ...emptyHead(), sequence: sent }, command);
      sent += 1;
    }
    if (sent < COMMANDS) stalls += 1;
    if (link.requests.publish()) link.requests.wakeReader();
  };
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject);
    port1.on('message', (word) => {
      if (word === 'done') resolve();
      else pump();
    });
    pump();
  });
  port1.close();
  assert.is(sent, COMMANDS);
  assert.ok(stalls > 10, 'the ring was full again and again');
});

if (isMainThread) links.run();
else readAll(workerData as Task);
