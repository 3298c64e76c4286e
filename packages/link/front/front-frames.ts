/**
 * Frames between main and a front thread, which moves the bytes of connections. Each has a header of four words, and
 * bytes after it in some kinds. The numbers cross threads.
 */

/** Kinds of frames, by who sends them. */
export const FrontKind = {
  /** main -> front: a new connection. Value: its file descriptor, which is the front thread's from here on. */
  plain: 1,
  /** main -> front: the same for one that begins with a handshake of TLS. */
  secured: 2,
  /** main -> front: bytes to be written. Value: how many. */
  write: 3,
  /** main -> front: main has processed enough input: resume reading. */
  readOn: 4,
  /** main -> front: seconds of silence after which the peer is probed; 0 = never. */
  keepAlive: 5,
  /** main -> front: write the remaining output, end it, read and drop input for a number of milliseconds, and close. */
  finish: 6,
  /** main -> front: close at once. */
  destroy: 7,
  /** front -> main: bytes of the peer. Value: how many. */
  data: 8,
  /** front -> main: the peer will send no more. */
  ended: 9,
  /** front -> main: the socket is closed; the slot is free once main has said its last word too. */
  closed: 10,
  /** front -> main: the handshake is done. Value: bytes of the JSON text after it. */
  handshake: 11,
  /** front -> main: the handshake has failed. Value as in `handshake`. */
  refused: 12,
  /** front -> main: the kernel does not take all that was written. */
  slow: 13,
  /** front -> main: the kernel has taken some of what main waits for, or all there was. */
  progress: 14,
  /** front -> main: time since when the frames after it wait. Value: monotonic microseconds, modulo 2^32. */
  since: 15,
} as const;

/** Words of the header. */
export const FrontFrame = {
  /** Size of the frame in bytes, a multiple of 8. */
  bytes: 0,
  kind: 1,
  /** Slot of the connection. */
  slot: 2,
  value: 3,
} as const;

export const FRONT_HEADER_BYTES = 16;

/** Most bytes of a connection in one frame. */
export const FRONT_BYTES_MAX = 64 * 1024;
