/** One message on its way to many clients: encoded once for each protocol, then only copied. */

import type { Bytes } from '#base';
import { OwnedReply, type Protocol, type ReplyWriter } from '#resp';
import type { Client, ParkingBlocks } from '#router';

/** Number of unsent bytes from which the output limit of a client is checked with every further message. */
const UNSENT_BYTES_UNCHECKED = 256 * 1024;

/** Writes the message in the writer's protocol. */
type WriteMessage = (writer: ReplyWriter) => void;

export class FanOut {
  readonly #encodings: readonly [Encoding, Encoding];
  readonly #overfull: (client: Client) => void;

  /** `overfull` looks whether a client that leaves much unread must go. */
  constructor(blocks: ParkingBlocks, overfull: (client: Client) => void) {
    this.#encodings = [new Encoding(2, blocks), new Encoding(3, blocks)];
    this.#overfull = overfull;
  }

  /** Begins another message; `write` is called at most once for each protocol, before the next begins. */
  begin(write: WriteMessage): void {
    for (const encoding of this.#encodings) encoding.begin(write);
  }

  sendTo(client: Client): void {
    const encoding = this.#encodings[client.session.protocol === 2 ? 0 : 1];
    encoding.encode();
    client.push(encoding.bytes, encoding.at, encoding.length);
    if (client.replies.unsentBytes > UNSENT_BYTES_UNCHECKED) this.#overfull(client);
  }

  /** Sends one message to one client. */
  send(client: Client, write: WriteMessage): void {
    this.begin(write);
    this.sendTo(client);
  }
}

/** A message in one protocol: in a block of the shared memory where it fits, which is quick to copy from. */
class Encoding {
  bytes: Bytes;
  at = 0;
  length = 0;
  readonly #blocks: ParkingBlocks;
  readonly #block: number;
  readonly #writer: OwnedReply;
  #write: WriteMessage | undefined;

  constructor(protocol: Protocol, blocks: ParkingBlocks) {
    this.#blocks = blocks;
    this.#block = blocks.take();
    this.#writer = new OwnedReply(protocol);
    this.bytes = blocks.memory.bytes;
  }

  begin(write: WriteMessage): void {
    this.#write = write;
  }

  encode(): void {
    const write = this.#write;
    if (write === undefined) return;
    this.#write = undefined;
    this.#writer.at = 0;
    write(this.#writer);
    const encoded = this.#writer.take();
    this.length = encoded.length;
    const { memory, blockBytes } = this.#blocks;
    if (this.#block >= 0 && encoded.length <= blockBytes) {
      memory.bytes.set(encoded, this.#block);
      this.bytes = memory.bytes;
      this.at = this.#block;
    } else {
      this.bytes = encoded;
      this.at = 0;
    }
  }
}
