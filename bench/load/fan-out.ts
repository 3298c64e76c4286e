/** Messages of one publisher to many subscribers: how many arrive in a second, and what they cost the server. */

import net from 'node:net';
import { once } from 'node:events';
import { resp } from './generator.ts';
import { cpuBetween, threadCpu } from './thread-cpu.ts';

const CHANNEL = 'bench';
const READ_BYTES = 64 * 1024;

interface FanOutOptions {
  subscribers: number;
  messages: number;
  /** Messages that the publisher sends at once; the next go out when all subscribers have these. */
  pipeline: number;
  messageBytes: number;
}

export interface FanOutResult {
  /** Messages that arrived, over all subscribers. */
  perSecond: number;
  /** Processor microseconds of the server's main thread for each of them. */
  mainUs: number;
}

export async function fanOut(
  server: { port: number; pid: number },
  options: FanOutOptions,
): Promise<FanOutResult> {
  const { subscribers, messages, pipeline } = options;
  const message = 'x'.repeat(options.messageBytes);
  const messageBytes = resp('message', CHANNEL, message).length;
  const audience = new Audience();
  for (let nth = 0; nth < subscribers; nth += 1) await audience.add(server.port);
  const publisher = net.connect(server.port, '127.0.0.1');
  await once(publisher, 'connect');
  publisher.setNoDelay(true);
  publisher.resume();
  const batch = resp('PUBLISH', CHANNEL, message).repeat(pipeline);
  const before = threadCpu(server.pid);
  const startMs = performance.now();
  for (let sent = 0; sent < messages; sent += pipeline) {
    const arrived = audience.expect(messageBytes * pipeline * subscribers);
    publisher.write(batch);
    await arrived;
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const { mainUs } = cpuBetween(server.pid, before, threadCpu(server.pid));
  publisher.destroy();
  audience.close();
  const delivered = Math.ceil(messages / pipeline) * pipeline * subscribers;
  return { perSecond: delivered / seconds, mainUs: mainUs / delivered };
}

/** Subscribers that only count bytes, into one buffer for all: the generator must not be what is measured. */
class Audience {
  readonly #sockets: net.Socket[] = [];
  readonly #buffer = Buffer.alloc(READ_BYTES);
  #left = 0;
  #arrived: () => void = () => undefined;

  async add(port: number): Promise<void> {
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: this.#buffer,
        callback: (bytes) => {
          this.#left -= bytes;
          if (this.#left === 0) this.#arrived();
          return true;
        },
      },
    });
    this.#sockets.push(socket);
    await once(socket, 'connect');
    const confirmed = this.expect(`*3\r\n$9\r\nsubscribe\r\n$5\r\n${CHANNEL}\r\n:1\r\n`.length);
    socket.write(resp('SUBSCRIBE', CHANNEL));
    await confirmed;
  }

  /** Resolves when `bytes` bytes have arrived. */
  expect(bytes: number): Promise<void> {
    this.#left = bytes;
    return new Promise((resolve) => {
      this.#arrived = resolve;
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
