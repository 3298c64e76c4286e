/** Memory that a client takes. */

/**
 * Memory of a connection at rest: the socket, its parser, the client, a short query buffer, a block for replies
 * (measured: 10 to 22 KiB).
 */
export const CLIENT_BYTES = 16 * 1024;
/** Bytes of a query buffer and of waiting replies that `CLIENT_BYTES` already counts. */
const QUERY_BYTES_COUNTED = 4 * 1024;
const REPLY_BYTES_COUNTED = 16 * 1024;
/** Bytes counted for a prefix of CLIENT TRACKING in broadcast mode. */
const PREFIX_BYTES = 96;

/** Holdings of a client that take memory. */
interface MemoryHolder {
  readonly socket: {
    readonly queryMemoryBytes: number;
    readonly output: { readonly pendingBytes: number };
  };
  readonly replies: { readonly parkedBytes: number };
  readonly transaction: { readonly queue: { readonly memoryBytes: number } } | undefined;
  readonly watches: { readonly memoryBytes: number };
  readonly roles: {
    readonly subscriptions: { readonly memoryBytes: number } | undefined;
    readonly tracking: { readonly prefixes: { readonly length: number } } | undefined;
  };
}

export function memoryOf(client: MemoryHolder): number {
  const { socket, transaction, watches } = client;
  const { subscriptions, tracking } = client.roles;
  const replyBytes = socket.output.pendingBytes + client.replies.parkedBytes;
  return (
    CLIENT_BYTES +
    Math.max(0, socket.queryMemoryBytes - QUERY_BYTES_COUNTED) +
    Math.max(0, replyBytes - REPLY_BYTES_COUNTED) +
    (transaction?.queue.memoryBytes ?? 0) +
    watches.memoryBytes +
    (subscriptions?.memoryBytes ?? 0) +
    PREFIX_BYTES * (tracking?.prefixes.length ?? 0)
  );
}
