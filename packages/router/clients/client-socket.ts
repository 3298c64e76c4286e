/** The connection under a client, as the router uses it. */

import type { Bytes } from '#base';
import type { ClientConnection } from '#commands';

/** The connection under a client; `net`'s Connection is one. */
export interface ClientSocket extends ClientConnection {
  readonly bytesRead: number;
  readonly queryBytes: number;
  readonly parsedBytes: number;
  readonly queryMemoryBytes: number;
  readonly isClosed: boolean;
  /** Holds commands that were not taken yet. */
  readonly isStalled: boolean;
  readonly output: {
    readonly pendingBytes: number;
    readonly unsentBytes: number;
    readonly bytesWritten: number;
    append(at: number, length: number): void;
    appendBytes(source: Bytes, at: number, length: number): void;
    give(bytes: Bytes): void;
  };
  unauthenticated: boolean;
  touch(): void;
  resume(): void;
  closeAfterReplies(): void;
  hangUp(): void;
  destroy(): void;
}

/** Destination of a client's replies: its socket, or a buffer that combines them. */
export type ReplyOutput = Pick<ClientSocket['output'], 'append' | 'appendBytes' | 'give'>;
