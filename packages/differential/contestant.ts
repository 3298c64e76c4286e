/** One of the two servers: what is sent to it in one go, and the replies that came. */
import net from 'node:net';
import type { ChildServer } from '#testkit';
import { encoded, splitReplies } from './wire.ts';

/** Ends every exchange; no other command answers this. */
const LAST = 'end of exchange';
const LAST_REPLY = `$${LAST.length}\r\n${LAST}\r\n`;
const WAIT_MS_MAX = 30_000;

/** A server, and the one connection it is talked to on. A server that ends is started again. */
export class Contestant {
  readonly #start: () => Promise<ChildServer>;
  #server: ChildServer | undefined;
  #socket: net.Socket | undefined;

  constructor(start: () => Promise<ChildServer>) {
    this.#start = start;
  }

  /** Sends the commands in one write; fewer replies than commands when the server ended meanwhile. */
  async exchange(commands: readonly (readonly string[])[]): Promise<string[]> {
    const socket = await this.#connected();
    const bytes = Buffer.from([...commands, ['ECHO', LAST]].map(encoded).join(''), 'latin1');
    const stream = await untilLast(socket, bytes);
    if (stream.endsWith(LAST_REPLY)) return splitReplies(stream.slice(0, -LAST_REPLY.length));
    await this.stop();
    return splitReplies(stream);
  }

  async stop(): Promise<void> {
    this.#socket?.destroy();
    await this.#server?.stop();
    this.#socket = undefined;
    this.#server = undefined;
  }

  async #connected(): Promise<net.Socket> {
    this.#server ??= await this.#start();
    if (this.#socket !== undefined) return this.#socket;
    const socket = net.connect(this.#server.port, '127.0.0.1');
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.setNoDelay(true);
    this.#socket = socket;
    return socket;
  }
}

/** Writes, and reads until the last reply, the end of the connection, or the end of all patience. */
function untilLast(socket: net.Socket, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: string[] = [];
    let tail = '';
    const finish = (): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      resolve(chunks.join(''));
    };
    const timer = setTimeout(finish, WAIT_MS_MAX);
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      chunks.push(text);
      tail = (tail + text).slice(-LAST_REPLY.length);
      if (tail === LAST_REPLY) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
    socket.write(bytes);
  });
}
