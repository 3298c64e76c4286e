/** Full synchronisations that lie in files, each of which is sent to its replicas at their own pace. */

import type { Bytes } from '#base';
import type { Replica } from './replica.ts';
import type { SyncFile } from './sync-file.ts';

/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024;

const NOTHING: Bytes = new Uint8Array(0);

interface FileSendsOptions {
  nowMs(): number;
  /** There is something to send. */
  wake(): void;
  /** A replica has been sent all of it. */
  sent(replica: Replica): void;
}

/** File that several replicas are sent. */
interface SharedFile {
  readonly file: SyncFile;
  readonly byteCount: number;
  users: number;
}

/** State of a file that is sent to one replica. */
interface FileSend {
  readonly shared: SharedFile;
  /** Bytes of the file that were read, and those of them that the connection has not been given. */
  read: number;
  piece: Bytes;
  isReading: boolean;
}

export class FileSends {
  readonly #options: FileSendsOptions;
  readonly #sends = new Map<Replica, FileSend>();

  constructor(options: FileSendsOptions) {
    this.#options = options;
  }

  /** Bytes that are read and that no connection has taken. */
  get heldBytes(): number {
    let bytes = 0;
    for (const { piece } of this.#sends.values()) bytes += piece.length;
    return bytes;
  }

  /** Sends a file to replicas, behind its length. */
  begin(replicas: readonly Replica[], file: SyncFile, byteCount: number): void {
    const shared = { file, byteCount, users: replicas.length };
    for (const replica of replicas) {
      replica.sync.sentMs = this.#options.nowMs();
      replica.link.send(Buffer.from(`$${byteCount}\r\n`));
      this.#sends.set(replica, { shared, read: 0, piece: NOTHING, isReading: false });
    }
    this.#options.wake();
  }

  /** A replica has disconnected. */
  left(replica: Replica): void {
    const send = this.#sends.get(replica);
    if (send === undefined) return;
    this.#sends.delete(replica);
    send.shared.users -= 1;
    if (send.shared.users === 0) send.shared.file.close();
  }

  /** True when there is something to do for a connection that takes more. */
  get hasWork(): boolean {
    for (const [replica, { piece, isReading }] of this.#sends) {
      if (replica.hasRoom && (piece.length > 0 || !isReading)) return true;
    }
    return false;
  }

  /** Gives replicas what their connections take. */
  pump(): void {
    for (const [replica, send] of [...this.#sends]) {
      if (replica.isGone || !replica.hasRoom) continue;
      if (send.piece.length > 0) {
        replica.link.send(send.piece);
        replica.sync.sentMs = this.#options.nowMs();
        send.piece = NOTHING;
      }
      if (send.isReading) continue;
      if (send.read < send.shared.byteCount) void this.#read(replica, send);
      else this.#end(replica);
    }
  }

  #end(replica: Replica): void {
    this.left(replica);
    this.#options.sent(replica);
  }

  async #read(replica: Replica, send: FileSend): Promise<void> {
    const { file, byteCount } = send.shared;
    send.isReading = true;
    try {
      const piece = await file.read(send.read, Math.min(READ_BYTES, byteCount - send.read));
      send.read += piece.length;
      send.piece = piece;
    } catch (error) {
      if (!this.#sends.has(replica)) return;
      const reason = (error as Error).message;
      replica.link.close(`the file of its full sync cannot be read: ${reason}`);
    }
    send.isReading = false;
    this.#options.wake();
  }
}
