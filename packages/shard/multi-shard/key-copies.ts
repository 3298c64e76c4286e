/**
 * Keys on their way between shards: what a lender gives to a host, and what the host gives back.
 *
 *   piece     u32 transaction, u32 shard that sent it, u32 pieces of the message that are still to come, then of all
 *             pieces together:
 *   message   u32 bits of MessageFlag, u32 count, u32 transactions in its log's segment, u32 pieces of changes, then per
 *             key:
 *   key       u32 database, u8 access (bits of KeyFlag), u8 state, u8 type, u8 encoding,
 *             u32 access clock, f64 expiry, u32 key bytes, f64 value bytes, key, value
 *   then      in pieces of their own, what the transaction has changed on all shards, for the log: states of keys
 */

import { asBuffer, type Bytes, bytesOfPieces, joined, type Pieces, type Steps } from '#base';
import {
  bytesForm,
  codecOf,
  type Encoded,
  keyScratch,
  type Keyspace,
  LONG_COPY_BYTES,
  PIECE_BYTES,
  type Ref,
  setOptions,
  valueScratch,
  WordReader,
  WordWriter,
} from '#store';

const PieceHead = { transaction: 0, shard: 4, toCome: 8 };
const PIECE_HEAD_BYTES = 12;
const MESSAGE_BYTES = 16;
const KEY_BYTES = 32;

/**
 * `object`: the value is an object, and its bytes are what its codec makes of it. `pushed`: an element was added to a
 * list at one end, or to a set; the value is a byte that is 1 for a list's head, and the element.
 */
export const KeyState = { absent: 0, bytes: 1, unchanged: 2, object: 3, pushed: 4 } as const;

/** Flags of a key: it may be written; a command has reported a change of it, even if it is equal now; it is a stub. */
const KeyFlag = { writable: 1, touched: 2, stub: 4 } as const;

/** Flags of a message: a watch is broken; there was no room for the copies. */
const MessageFlag = { broken: 1, refused: 2 } as const;

export interface KeyCopy {
  database: number;
  key: Bytes;
  writable: boolean;
  /** On the way back: a command has changed it. */
  isTouched: boolean;
  /** Stands for a long list or set, to which the command may add: see `stubs.ts`. */
  isStub: boolean;
  state: number;
  type: number;
  encoding: number;
  access: number;
  /** Unix milliseconds, or -1. */
  expireAt: number;
  /** The value, where it is bytes. */
  value: Bytes;
  /** The value, where it is an object and was not in a message, or is unpacked. */
  object: unknown;
  /** Pieces of the value that were in a message. */
  sent: Pieces;
}

/** Limits of a message: bytes of a piece, and of all copies. */
interface CopyLimits {
  readonly pieceBytes?: number;
  readonly bytesMax?: number;
}

export interface CopyMessage {
  transaction: number;
  shard: number;
  /** A key that the transaction's client watched has changed: nothing may be run. */
  isBroken: boolean;
  /** The lender had no room for its copies: there are none, and nothing may be run. */
  isRefused?: boolean;
  /** Transactions of the sender when it sent this: what the transaction rests on. */
  transactions: number;
  copies: readonly KeyCopy[];
  /** On the way back: what the whole transaction has changed, for the log. */
  changes?: Pieces | undefined;
}

const NOTHING: Bytes = new Uint8Array(0);
const NO_PIECES: Pieces = [];

/**
 * Copies the current state of a key; the copy takes over its name. While the copy is in use, a value that is an object
 * or long must not change.
 */
export function copyOf(
  keyspace: Keyspace,
  database: number,
  key: Bytes,
  writable: boolean,
): KeyCopy {
  return kept(viewOf(keyspace, database, key, writable));
}

/** Copies a key without its own memory: a short value is valid until the keyspace changes. */
export function viewOf(
  keyspace: Keyspace,
  database: number,
  key: Bytes,
  writable: boolean,
): KeyCopy {
  const ref = keyspace.peek(key, 0, key.length);
  const copy: KeyCopy = {
    database,
    key,
    writable,
    isTouched: false,
    isStub: false,
    state: KeyState.absent,
    type: 0,
    encoding: 0,
    access: 0,
    expireAt: -1,
    value: NOTHING,
    object: undefined,
    sent: NO_PIECES,
  };
  if (ref !== 0) fill(copy, keyspace, ref);
  return copy;
}

function fill(copy: KeyCopy, keyspace: Keyspace, ref: Ref): void {
  copy.type = keyspace.type(ref);
  copy.encoding = keyspace.encoding(ref);
  copy.access = keyspace.access(ref);
  copy.expireAt = keyspace.expireAt(ref);
  if (keyspace.isObject(ref)) {
    copy.state = KeyState.object;
    copy.object = keyspace.object(ref);
    return;
  }
  copy.state = KeyState.bytes;
  const { bytes, at, length } = keyspace.value(ref);
  copy.value = bytes.subarray(at, at + length);
}

/** Gives the copy a short value of its own. */
export function kept(copy: KeyCopy): KeyCopy {
  if (copy.value.length <= LONG_COPY_BYTES) copy.value = copy.value.slice();
  return copy;
}

/** True when a copy of a key that is here takes long to be written. */
export function isLong({ state, type, encoding, value, object }: KeyCopy): boolean {
  if (state !== KeyState.object) return value.length > LONG_COPY_BYTES;
  return codecOf(type, encoding).bytesOf(object) > LONG_COPY_BYTES;
}

/** Makes the values of all copies that have come with messages. */
export function* unpackAll(messages: readonly CopyMessage[]): Steps<void> {
  for (const { copies } of messages) for (const copy of copies) yield* unpack(copy);
}

/** Makes the value of a copy that has come with a message: `install` needs it. */
export function* unpack(copy: KeyCopy): Steps<void> {
  const { state, type, encoding, sent } = copy;
  if (state === KeyState.object) {
    copy.object = yield* codecOf(type, encoding).decode(sent);
  } else if (bytesOfPieces(sent) > LONG_COPY_BYTES) {
    const value = new Uint8Array(bytesOfPieces(sent));
    const writer = new WordWriter(value, 0);
    for (const piece of sent) yield* writer.bytesInSteps(piece);
    copy.value = value;
  }
}

/** Makes the key in `keyspace` what the copy says; an object or a long value is the keyspace's from now on. */
export function install(keyspace: Keyspace, copy: KeyCopy): void {
  const { key } = copy;
  if (copy.state === KeyState.unchanged) return;
  if (copy.state === KeyState.absent) {
    const existing = keyspace.peek(key, 0, key.length);
    if (existing !== 0) keyspace.takeOut(existing);
    return;
  }
  let ref = store(keyspace, copy);
  if (copy.expireAt >= 0) ref = keyspace.setExpireAt(ref, copy.expireAt);
  keyspace.setAccess(ref, copy.access);
}

function store(keyspace: Keyspace, copy: KeyCopy): Ref {
  const { key, value, type, encoding } = copy;
  const isGiven = value.length > LONG_COPY_BYTES;
  const options = setOptions({ type, encoding, isGiven });
  const name = keyScratch.all(key);
  if (copy.state === KeyState.bytes) return keyspace.set(name, valueScratch.all(value), options);
  const { object } = copy;
  return keyspace.setObject(name, object, codecOf(type, encoding).bytesOf(object), options);
}

/**
 * True when both say the same of the key; its access clock does not count. `before` knows nothing any more of an
 * object or a long value that changed where it lay: that is for the caller to know.
 */
export function sameState(before: KeyCopy, after: KeyCopy): boolean {
  return (
    before.state === after.state &&
    before.type === after.type &&
    before.encoding === after.encoding &&
    before.expireAt === after.expireAt &&
    before.object === after.object &&
    (after.object !== undefined || asBuffer(before.value).equals(after.value))
  );
}

/**
 * The message in pieces of its own memory. The values of its copies must stay as they are until it is made. Throws a
 * RangeError, as for memory that is not to be had, where they are more than `bytesMax`.
 */
export function* encodeCopies(
  message: CopyMessage,
  { pieceBytes = PIECE_BYTES, bytesMax = Infinity }: CopyLimits = {},
): Steps<Bytes[]> {
  const { copies, changes = NO_PIECES } = message;
  let left = MESSAGE_BYTES;
  const forms: Encoded[] = [];
  for (const { key, value, object, type, encoding } of copies) {
    const form =
      object === undefined ? bytesForm(value) : yield* codecOf(type, encoding).encode(object);
    forms.push(form);
    left += KEY_BYTES + key.length + form.byteCount;
  }
  if (left > bytesMax) throw new RangeError('Array buffer allocation failed');
  const pieces: Bytes[] = [];
  const writer = new WordWriter(
    NOTHING,
    0,
    () => {
      const count = Math.min(left, pieceBytes);
      left -= count;
      const piece = pieceOf(message, count);
      pieces.push(piece);
      return piece;
    },
    PIECE_HEAD_BYTES,
  );
  const flags =
    (message.isBroken ? MessageFlag.broken : 0) |
    (message.isRefused === true ? MessageFlag.refused : 0);
  writer.words(flags, copies.length, message.transactions, changes.length);
  for (const [nth, copy] of copies.entries()) {
    const form = forms[nth]!;
    writer.bytes(headOf(copy, form.byteCount));
    writer.bytes(copy.key);
    yield* form.write(writer);
  }
  for (const change of changes) {
    const piece = pieceOf(message, change.length);
    pieces.push(piece);
    yield* new WordWriter(piece, PIECE_HEAD_BYTES).bytesInSteps(change);
  }
  for (const [nth, piece] of pieces.entries()) {
    asBuffer(piece).writeUInt32LE(pieces.length - 1 - nth, PieceHead.toCome);
  }
  return pieces;
}

function pieceOf({ transaction, shard }: CopyMessage, byteCount: number): Bytes {
  const piece = Buffer.allocUnsafeSlow(PIECE_HEAD_BYTES + byteCount);
  piece.writeUInt32LE(transaction, PieceHead.transaction);
  piece.writeUInt32LE(shard, PieceHead.shard);
  return piece;
}

function headOf(copy: KeyCopy, valueBytes: number): Bytes {
  const head = Buffer.alloc(KEY_BYTES);
  head.writeUInt32LE(copy.database, 0);
  head[4] =
    (copy.writable ? KeyFlag.writable : 0) |
    (copy.isTouched ? KeyFlag.touched : 0) |
    (copy.isStub ? KeyFlag.stub : 0);
  head[5] = copy.state;
  head[6] = copy.type;
  head[7] = copy.encoding;
  head.writeUInt32LE(copy.access, 8);
  head.writeDoubleLE(copy.expireAt, 12);
  head.writeUInt32LE(copy.key.length, 20);
  head.writeDoubleLE(valueBytes, 24);
  return head;
}

/** Puts messages together of the pieces in which they come. */
export class MessagePieces {
  /** Pieces of messages that are not whole, by transaction and sender. */
  readonly #begun = new Map<string, Bytes[]>();

  /** Adds a piece; returns the message once it is complete. */
  take(piece: Bytes): Pieces | undefined {
    const head = asBuffer(piece);
    const isLast = head.readUInt32LE(PieceHead.toCome) === 0;
    if (isLast && this.#begun.size === 0) return [piece];
    const name = `${head.readUInt32LE(PieceHead.transaction)} ${head.readUInt32LE(PieceHead.shard)}`;
    const pieces = this.#begun.get(name) ?? [];
    pieces.push(piece);
    if (isLast) this.#begun.delete(name);
    else this.#begun.set(name, pieces);
    return isLast ? pieces : undefined;
  }
}

/** Reads a message; the copies are views of its bytes. */
export function decodeCopies(message: Pieces): CopyMessage {
  const first = asBuffer(message[0] ?? NOTHING);
  const bodies = message.map((piece) => piece.subarray(PIECE_HEAD_BYTES));
  const reader = new WordReader(bodies);
  const flags = reader.word();
  const count = reader.word();
  const transactions = reader.word();
  const changesAt = bodies.length - reader.word();
  const copies: KeyCopy[] = [];
  for (let nth = 0; nth < count; nth += 1) copies.push(copyIn(reader));
  return {
    transaction: first.readUInt32LE(PieceHead.transaction),
    shard: first.readUInt32LE(PieceHead.shard),
    isBroken: (flags & MessageFlag.broken) !== 0,
    isRefused: (flags & MessageFlag.refused) !== 0,
    transactions: transactions >>> 0,
    copies,
    changes: bodies.slice(changesAt),
  };
}

function copyIn(reader: WordReader): KeyCopy {
  const head = asBuffer(reader.bytes(KEY_BYTES));
  const key = reader.bytes(head.readUInt32LE(20));
  const valueBytes = head.readDoubleLE(24);
  const sent = reader.views(valueBytes);
  return {
    database: head.readUInt32LE(0),
    writable: (head[4]! & KeyFlag.writable) !== 0,
    isTouched: (head[4]! & KeyFlag.touched) !== 0,
    isStub: (head[4]! & KeyFlag.stub) !== 0,
    state: head[5]!,
    type: head[6]!,
    encoding: head[7]!,
    access: head.readUInt32LE(8),
    expireAt: head.readDoubleLE(12),
    key,
    // What is long is made one when it is unpacked.
    value: valueBytes > LONG_COPY_BYTES ? NOTHING : joined(sent),
    object: undefined,
    sent,
  };
}
