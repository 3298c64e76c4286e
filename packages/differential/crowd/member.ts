/** One of several clients of a server: what it is sent, and all that comes back, asked for or not. */
import net from 'node:net';
import type { Words } from '../family.ts';
import { encoded, parseReply, splitReplies } from '../wire.ts';

/** Kinds of unsolicited messages: in RESP2 they look like replies, and in RESP3 replies to SUBSCRIBE look like them. */
const UNASKED = /^(message|pmessage|smessage|invalidate)$/;

export class Member {
  /** The connection's number on its server. */
  readonly id: string;
  isClosed = false;
  readonly #socket: net.Socket;
  #stream = '';

  private constructor(socket: net.Socket, id: string) {
    this.#socket = socket;
    this.id = id;
    socket.on('data', (chunk: Buffer) => (this.#stream += chunk.toString('latin1')));
    socket.on('close', () => (this.isClosed = true));
    socket.on('error', () => undefined);
  }

  static async connect(port: number): Promise<Member> {
    const socket = net.connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    socket.setNoDelay(true);
    socket.write(encoded(['CLIENT', 'ID']));
    const id = await new Promise<string>((resolve) => {
      socket.once('data', (chunk: Buffer) => {
        resolve(chunk.toString('latin1').slice(1).trim());
      });
    });
    return new Member(socket, id);
  }

  send(words: Words): void {
    this.#socket.write(Buffer.from(encoded(words), 'latin1'));
  }

  /** Replies and pushes received since `clear`, each as its bytes. */
  get received(): readonly string[] {
    return splitReplies(this.#stream);
  }

  /** True when the last reply is not there to its end. */
  get isCutShort(): boolean {
    return this.received.join('').length < this.#stream.length;
  }

  /** True when a reply is among what was received. */
  get isAnswered(): boolean {
    return this.received.some((reply) => !isUnasked(reply));
  }

  clear(): void {
    this.#stream = this.#stream.slice(this.received.join('').length);
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** True when a reply was unsolicited: a message, or an invalidation. */
export function isUnasked(reply: string): boolean {
  return /^[>*]/.test(reply) && UNASKED.test(parseReply(reply).items?.[0]?.text ?? '');
}
