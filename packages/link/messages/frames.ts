/**
 * Frames of the rings: words of a frame's header, as indexes from its first word.
 * The numbers cross threads, and a golden test freezes them.
 */

/** Kinds of frames. */
export const FrameKind = {
  /** main -> shard: a command to run whole; shard -> main: its reply. */
  command: 1,
  /** main -> shard: this shard's part of a command; shard -> main: the part's answer. */
  part: 2,
  /** main -> shard: something every shard must know, in order with the commands. Body: msgpack. */
  control: 3,
  /** main -> host: a command whose other keys are lent by other shards. */
  host: 4,
  /** main -> lender: give copies of keys to a host, and hold those it may write. */
  lend: 5,
  /** lender -> main -> host: copies of keys. */
  copies: 6,
  /** host -> main -> lender: what became of the keys lent for writing. */
  returned: 7,
  /** main -> host: the commands of a transaction, each a `command` frame in the body; lent like `host`. */
  exec: 8,
  /** main -> shard: stop at this place of the order; shard -> main: stopped, and what WATCH has seen. */
  barrier: 9,
  /** main -> shard: the barrier is over. */
  resume: 10,
  /** main -> shard: a client watches nothing any more. */
  unwatch: 11,
  /** main -> shard: which of these keys are there? Held until the verdict; shard -> main: the answer. */
  offer: 12,
  /** main -> shard: what becomes of an offer. */
  verdict: 13,
  /** shard -> main: a command waits for its keys. */
  parked: 14,
  /** shard -> main: a key that a client waits for on several shards is there. */
  wake: 15,
  /** main -> shard: a client waits no longer; shard -> main, ahead of the reply: that is what has ended its wait. */
  unpark: 16,
  /** shard -> main: per item of a command that several shards run: u32 argument, u32 bytes, the item. */
  items: 17,
  /** main -> shard: which other keys does this command read? shard -> main: their names, or that they have changed. */
  inquiry: 18,
  /** shard -> main: what happened to keys, ahead of the reply to the command that did it. */
  events: 19,
  /** main -> shard: a call for content, with its number as sequence; shard -> main: the answer. Bodies: msgpack. */
  call: 20,
  /** main -> shard: who the client in a slot is, before its first command here and after a change. Body: msgpack. */
  introduce: 21,
  /** shard -> main: something took long. Body: three doubles (index of the event, microseconds, unix milliseconds). */
  latency: 22,
  /** main -> shard: a command over several shards that writes, whole: each does its share of it; answered as `part`. */
  share: 23,
  /** main -> shard: keep the keys as they are at this place of the order; the sequence is the snapshot's number. */
  snapshot: 24,
  /** shard -> main: when the parts of a traced command ran, ahead of its reply. Body: doubles (trace-times.ts). */
  times: 25,
  /** main -> shard: a barrier's transaction is complete and must be ended in the log; shard -> main: it is ended. */
  prepare: 26,
  /** main -> host: which of its own keys a command reads besides those that its frame names. Body: keys. */
  keep: 27,
  /** main -> shard: the source of a script that the shard is to run by its digest: 40 bytes digest, then the source. */
  script: 28,
  /** shard -> main: a request of a script, a number of `ScriptRequest`; main -> shard: the reply. */
  ask: 29,
  /** main -> shard: nothing is logged from this place of the order on. */
  leaveLog: 30,
  /** shard -> main: what a script, or a command that has waited, was denied. Body: msgpack. */
  denied: 31,
  /** main -> shard: what was staged of a primary's data is served from this place of the order on. */
  adopt: 33,
  /**
   * main -> shard: from this place of the order on, start or stop feeding changes for replicas, or freeze all keys for
   * one (body: msgpack); shard -> main: changes, as segments (feed-segments.ts).
   */
  feed: 34,
  /** shard -> main: a piece of a full sync; main -> shard: credit for further bytes (sequence). */
  rdb: 35,
  /**
   * main -> shard: give the values of keys that MIGRATE sends to another server, and hold the keys if they are to be moved;
   * the sequence is the transaction's number. Body: msgpack. shard -> main: a piece of these values together.
   */
  migrate: 40,
  /** shard -> main, after the pieces: which of the keys are here. Body: msgpack. */
  found: 41,
  /**
   * main -> shard: the keys that another server has accepted, and with which the hold ends; shard -> main: they are
   * deleted here.
   */
  migrated: 42,
  /** shard -> main: a client was redirected because its keys are migrating to another node. Body: msgpack. */
  redirected: 43,
  /**
   * main -> shard: keys of a primary's data, to be staged in databases that serve no client. Body: a batch of them
   * (`KeyBatchWriter`); answered as `call`.
   */
  stage: 44,
  /** main -> shard: was a command, which main has answered itself since it would have waited for a busy script. */
  refused: 45,
} as const;

/** Requests of a running script to main; the sequence of an `ask` frame, whose connection is the shard. */
export const ScriptRequest = {
  /** Run a command. Body: its frame. The answer's body is the reply. */
  command: 0,
  /** End in all logs the changes that the script has made elsewhere. The answer's body: the transaction's number. */
  prepare: 1,
  /** The script has ended, and the other shards may continue. There is no reply. */
  end: 2,
  /** A script that does not compile is to be forgotten. Body: its digest. There is no answer. */
  forget: 3,
  /** A line for the log. Body: its level in one byte, and the text. There is no answer. */
  log: 4,
  /** A command that the script calls, while main wants to see them. Body: its frame. There is no answer. */
  called: 5,
} as const;

const KIND_NAMES = new Map<number, string>(
  Object.entries(FrameKind).map(([name, kind]) => [kind, name]),
);

/** The name of a kind of frame. */
export function kindName(kind: number): string {
  return KIND_NAMES.get(kind & KIND_MASK) ?? 'unknown';
}

/** Header of a frame from main to a shard. */
export const Request = {
  /** Size of the frame in bytes, a multiple of 8. */
  bytes: 0,
  /** Kind in bits 0-7, flags in bits 8-15, database in bits 16-31. */
  kind: 1,
  /** Index of the command in the table. */
  command: 2,
  /** Slot of the connection in main's list. */
  connection: 3,
  /** The connection's count of commands, wrapping at 2^32. */
  sequence: 4,
  /** Time at which main took the command up: monotonic microseconds, low 32 bits. */
  enqueuedUs: 5,
  /** Slot + 1 of the client whose watches are to be judged, or 0; in `lend` frames, in the same word. */
  watcher: 5,
  /** Number of Verdict; in `verdict` frames, in the same word. */
  verdict: 5,
  /** Number of Unpark; in `unpark` frames, in the same word. */
  unpark: 5,
  /** Sequence of the client's command; in `migrate` and `migrated` frames, in the same word. */
  ofSequence: 5,
  /** Arguments, the command's name included. */
  argumentCount: 6,
  /** Bytes of the body that follows the spans. */
  bodyBytes: 7,
  /** From here two words for each argument: its offset in the body, and its length. */
  spans: 8,
} as const;

/** Words of a `host` or `share` frame between its header and its spans. */
export const HOST_WORDS = 2;
export const HostWord = {
  /** The transaction's number, unique in the process until it wraps at 2^32. */
  transaction: 8,
  /** Number of shards that lend it keys; in `share` frames, number of shards that do a share. */
  lenders: 9,
} as const;

/** Header of a frame from a shard to main. */
export const Reply = {
  bytes: 0,
  kind: 1,
  connection: 2,
  /** Sequence of the first command to which the body replies. */
  sequence: 3,
  /** Number of consecutive commands to which the body replies. */
  count: 4,
  bodyBytes: 5,
  /** Time at which the last of the commands was done: monotonic microseconds, low 32 bits. */
  doneUs: 6,
  /** Microseconds from enqueue to dequeue. */
  queueUs: 7,
  /** Sixteenths of a microsecond of execution, as `ticksToWord` of stats writes them. */
  executeTicks: 8,
  /** Bits of ReplyFlag. */
  flags: 9,
  body: 10,
} as const;

export const ReplyFlag = {
  /** The body is an error line: main recognizes errors of parts by this flag. */
  error: 1,
  /** Reply to `barrier`: a key that the client watched has changed. */
  watchBroken: 2,
  /** Reply to `offer`: a key is there. */
  ready: 4,
  /** Reply to `offer`: no key is there, and the command waits. */
  waits: 8,
  /** The reply's writes could not be put on disk: it must not be given. */
  unsafe: 32,
  /** Reply to `inquiry`: the keys named before are no longer those that the command reads. */
  outdated: 16,
  /** The `part` has waited for the disk; `doneUs` is how long, in microseconds. */
  settled: 64,
} as const;

export const REQUEST_HEADER_BYTES = Request.spans * 4;
export const REPLY_HEADER_BYTES = Reply.body * 4;

/**
 * Flags of a key in a `lend` frame, in the byte before it: it may be written; elements are only added to it; it is no
 * key, but the element that is added to the key before it.
 */
export const LendFlag = { writable: 1, insertsOnly: 2, element: 4 } as const;

/** Flags in the second word, as bits of it. */
export const RequestFlag = {
  resp3: 1 << 8,
  /** CLIENT NO-TOUCH is on. */
  noTouch: 1 << 9,
  /** The client wants no reply (CLIENT REPLY OFF or SKIP): the body stays empty. */
  mute: 1 << 10,
  /** Belongs to the barrier at which the shard has stopped, and passes it. */
  passesBarrier: 1 << 11,
  /** A command that has waited is run again, unless it no longer waits. */
  again: 1 << 12,
  /** The command is traced: its times are wanted. */
  traced: 1 << 13,
  /** Flag of `exec`: the client watches keys, perhaps on this shard. */
  watches: 1 << 14,
  /** Flag of `command`: a script that concerns all keys, while the other shards are stopped for it. */
  exclusive: 1 << 14,
  /** The command, or one of a transaction, runs a script. */
  scripts: 1 << 15,
} as const;

/**
 * Outcome of an offer: the command is run here, its client waits, it is another shard's matter, or it is
 * run here and on others, and main puts the items together.
 */
export const Verdict = { run: 0, park: 1, drop: 2, items: 3 } as const;

/** Reasons to unblock a client: its time is over, CLIENT UNBLOCK ... ERROR, or the error that the body has. */
export const Unpark = { timeout: 0, error: 1, roleChanged: 2, reported: 3 } as const;

export const KIND_MASK = 0x7f;
/** In the second word, either way: the body (of a request: spans and body) came by message, as an ArrayBuffer. */
export const TRANSFERRED = 0x80;
/** In the second word of a reply that is not to be given as it is: so it is no ordinary one. */
export const UNSAFE_KIND = 0x100;
/** In the second word of a reply: more of its body follows in further frames; it answers no command yet. */
export const CONTINUED = 0x200;
export const DATABASE_SHIFT = 16;

/** Rounds up to whole words of 8 bytes; what is longer than 31 bits hold is no frame, but a size all the same. */
export function frameBytes(byteCount: number): number {
  return byteCount < 0x7fff_fff8 ? (byteCount + 7) & ~7 : Math.ceil(byteCount / 8) * 8;
}
