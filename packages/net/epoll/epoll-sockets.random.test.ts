/**
 * Sockets of a thread's epoll under random peers, against a model: what each has sent comes back to it, in order and to no
 * other one, though descriptors are used again within a batch of events; and every connection ends.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { Doorbell, LinkMemory } from '#link';
import { freePort, type Random, until, withRandom } from '#testkit';
import { Page, THREAD_SHAPE } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Accepted } from '../plain-sockets.ts';
import type { EpollLoop } from './epoll-loop.ts';
import { EpollSockets } from './epoll-sockets.ts';
import { loadEpoll, openLoop } from './open-loop.ts';

const newPage = (): Page => new Page(THREAD_SHAPE, new ArrayBuffer(Page.bytes(THREAD_SHAPE)));

const sockets = suite('epoll sockets');

const MEMORY_BYTES = 4 * 65_536;
const READ_BYTES = 16_384;
const STEPS = 3_000;
const PEERS_MAX = 24;
/** Longest message of a peer: some are more than the buffers of the kernel hold. */
const MESSAGE_BYTES_MAX = 3_000_000;
/** Bytes of the name that each peer sends in every four bytes. */
const NAME_BYTES = 4;

/** Writes back what it receives, and counts what is open. */
class Echo {
  open = 0;
  readonly #loop: EpollLoop;
  /** Numbers of peers whose bytes came on a connection of another one. */
  readonly strays: string[] = [];

  constructor(loop: EpollLoop) {
    this.#loop = loop;
  }

  accept(accepted: Accepted): void {
    const transport = accepted.transport()!;
    const waiting: Buffer[] = [];
    let [name, isKept, hasEnded] = ['', false, false];
    this.open += 1;
    const send = (): void => {
      while (!isKept && waiting.length > 0) {
        const chunks = waiting.splice(0);
        const byteCount = chunks.reduce((sum, each) => sum + each.length, 0);
        const outcome = transport.sink.write(chunks, byteCount, false);
        if (outcome === 'failed') transport.destroy();
        isKept = outcome === 'kept';
      }
      // A peer that has sent too much is not read until it reads.
      if (isKept) transport.pause();
      else if (hasEnded) transport.finish(0);
    };
    transport.sink.onWritten = (hasFailed) => {
      isKept = false;
      if (hasFailed) {
        transport.destroy();
        return;
      }
      transport.resume();
      send();
    };
    transport.begin({
      received: (source, at, byteCount) => {
        const bytes = Buffer.from(source.subarray(at, at + byteCount));
        // Messages are whole names, which a read may cut.
        if (name === '' && byteCount >= NAME_BYTES) name = bytes.toString('latin1', 0, NAME_BYTES);
        const expected = Buffer.alloc(byteCount + NAME_BYTES, name, 'latin1');
        if (name !== '' && !expected.includes(bytes)) this.strays.push(name);
        waiting.push(bytes);
        this.#loop.schedule();
        send();
      },
      ended: () => {
        hasEnded = true;
        send();
      },
      closed: () => {
        this.open -= 1;
      },
      slow: () => undefined,
      caughtUp: () => undefined,
    });
  }
}

/** A client that knows what must come back. */
class Peer {
  readonly socket: net.Socket;
  readonly #name: Buffer;
  sent = 0;
  received = 0;
  isBroken = false;
  hasEnded = false;

  constructor(port: number, nth: number) {
    this.#name = Buffer.from(nth.toString(36).padStart(NAME_BYTES, '0'));
    this.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('error', () => (this.isBroken = true));
    this.socket.on('data', (bytes) => {
      const from = this.received % NAME_BYTES;
      const expected = Buffer.alloc(bytes.length + from, this.#name).subarray(from);
      assert.ok(bytes.equals(expected), `${this.#name.toString()} has received bytes of another`);
      this.received += bytes.length;
    });
    this.socket.on('end', () => (this.hasEnded = true));
  }

  send(names: number): void {
    if (this.socket.writableEnded || this.isBroken) return;
    this.socket.write(Buffer.alloc(names * NAME_BYTES, this.#name));
    this.sent += names * NAME_BYTES;
  }
}

/** One thing that happens to a peer; true where it is of no further interest. */
function step(peer: Peer, random: Random): boolean {
  const act = random.weighted([
    [8, 'send'],
    [1, 'send much'],
    [2, 'pause'],
    [3, 'resume'],
    [1, 'reset'],
    [1, 'destroy'],
  ]);
  if (act === 'send') peer.send(random.integer(1, 64));
  else if (act === 'send much') peer.send(random.integer(1, MESSAGE_BYTES_MAX / NAME_BYTES));
  else if (act === 'pause') peer.socket.pause();
  else if (act === 'resume') peer.socket.resume();
  else if (act === 'reset') peer.socket.resetAndDestroy();
  else peer.socket.destroy();
  return act === 'reset' || act === 'destroy';
}

/** Ends a peer's side; all that it has sent comes back, and then the end. */
async function finish(peer: Peer): Promise<void> {
  peer.socket.resume();
  peer.socket.end();
  await until(() => peer.hasEnded || peer.isBroken, 'the server ends its side');
  assert.not.ok(peer.isBroken, 'a connection that only ends is not broken');
  assert.is(peer.received, peer.sent);
  peer.socket.destroy();
}

sockets(
  'each peer gets back its own bytes, and every connection ends',
  withRandom(async (random) => {
    const memory = LinkMemory.allocate(MEMORY_BYTES);
    const loop = openLoop(new Doorbell(memory, 0), await loadEpoll(), newPage()) as EpollLoop;
    loop.start({ rang: () => undefined, endTurn: () => undefined });
    const bytes = Buffer.alloc(READ_BYTES);
    const shared = loop.share({ memory: { bytes }, bytes, at: 0 }, memory.bytes);
    const echo = new Echo(loop);
    const port = await freePort();
    const listener = new EpollSockets(
      shared,
      () => 300,
      () => undefined,
    );
    const stop = await listener.listen({ host: '127.0.0.1', port }, (accepted) => {
      echo.accept(accepted);
    });
    let peers: Peer[] = [];
    let count = 0;
    for (let nth = 0; nth < STEPS; nth += 1) {
      if (peers.length < PEERS_MAX && random.chance(0.3)) {
        const peer = new Peer(port, ++count);
        await once(peer.socket, 'connect');
        peers.push(peer);
      }
      const peer = peers.length > 0 ? random.pick(peers) : undefined;
      if (peer !== undefined && step(peer, random)) peers = peers.filter((each) => each !== peer);
      if (random.chance(0.2)) await immediate();
    }
    await Promise.all(peers.map((peer) => finish(peer)));
    await until(() => echo.open === 0, 'the server has closed all');
    assert.equal(echo.strays, []);
    stop();
    loop.stop();
  }),
);

sockets.run();
