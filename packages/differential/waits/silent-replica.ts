/** A replica for tests that receives the stream, and acknowledges it only on request. */
import net from 'node:net';
import { until } from '#testkit';
import { encoded } from '../wire.ts';

const LINE_END = '\r\n';

export class SilentReplica {
  readonly #socket: net.Socket;
  /** Offset of the stream up to which it has received everything; negative before the start of the stream. */
  #offset = -1;
  /** Bytes of the answer to PSYNC and of the data that have come, as long as the stream has not begun. */
  #head = Buffer.alloc(0);

  private constructor(port: number) {
    this.#socket = net.connect(port, '127.0.0.1');
    this.#socket.on('error', () => undefined);
    this.#socket.on('data', (piece: Buffer) => {
      if (this.#offset >= 0) this.#offset += piece.length;
      else this.#takeHead(piece);
    });
  }

  /** Connects, and receives all data; resolves at the start of the stream. */
  static async follow(port: number): Promise<SilentReplica> {
    const replica = new SilentReplica(port);
    replica.#socket.write(encoded(['PSYNC', '?', '-1']));
    await until(() => replica.#offset >= 0, 'the stream started');
    return replica;
  }

  /** Acknowledges all that has come; returns its offset. */
  acknowledge(): number {
    this.#socket.write(encoded(['REPLCONF', 'ACK', String(this.#offset)]));
    return this.#offset;
  }

  end(): void {
    this.#socket.destroy();
  }

  /** Reads "+FULLRESYNC id offset", empty lines while the data are made, their length, and the data. */
  #takeHead(piece: Buffer): void {
    this.#head = Buffer.concat([this.#head, piece]);
    const text = this.#head.toString('latin1');
    const found = /^\+FULLRESYNC \S+ (\d+)\r\n\n*\$(\d+)\r\n/.exec(text);
    if (found === null) return;
    const [whole, offset, length] = found;
    const behind = this.#head.length - whole.length - Number(length);
    if (behind < 0) return;
    this.#offset = Number(offset) + behind;
    this.#head = Buffer.alloc(0);
  }
}

/** The offset up to which a primary has written its stream, and the one that its replica has acknowledged. */
export function offsetsIn(info: string): readonly [written: number, acknowledged: number] {
  const lines = info.split(LINE_END);
  const written = lines.find((line) => line.startsWith('master_repl_offset:'))?.slice(19);
  const replica = lines.find((line) => line.startsWith('slave0:'));
  return [Number(written), Number(/state=online,offset=(\d+)/.exec(replica ?? '')?.[1] ?? -1)];
}
