/**
 * Keys on their way between shards: what a lender gives to a host, and what the host gives back.
 *
 *   message   u32 transaction, u32 shard that sent it, u32 bits of MessageFlag, u32 count,
 *             u32 transactions in its log's segment, then per key:
 *   key       u32 database, u8 access (bits of KeyFlag), u8 state, u8 type, u8 encoding,
 *             u32 access clock, f64 expiry, u32 key bytes, u32 value bytes, key, value
 *   then      what the transaction has changed on all shards, for the log: states of keys, or nothing
 */

import { asBuffer, assert, copyInSteps, copyOfBytes, type Bytes, type Steps } from '#base';
import { codecOf, LONG_COPY_BYTES, type Encoded, type Keyspace, type Ref } from '#store';

const MESSAGE_BYTES = 20;
const KEY_BYTES = 28;

/**
 * `object`: the value is an object, and its bytes are what its codec makes of it. `pushed`: an element was added to a
 * list at one end, or to a set; the value is a byte that is 1 for a list's head, and the element.
 */
export const KeyState = { absent: 0, bytes: 1, unchanged: 2, object: 3, pushed: 4 } as const;

/** What goes with a key: it may be written; a command said that it changed it, whatever it is now; it is a stub. */
const KeyFlag = { writable: 1, touched: 2, stub: 4 } as const;

/** What a message says of itself: a watch is broken; there was no room for the copies. */
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
  /** What a message had of the value. */
  sent: Bytes;
}

export interface CopyMessage {
  transaction: number;
  shard: number;
  /** A key that the transaction's client watched has changed: nothing may be run. */
  isBroken: boolean;
  /** The lender had no room for its copies: there are none, and nothing may be run. */
  isRefused?: boolean;
  /** Of the sender when it sent this: what the transaction rests on. */
  transactions: number;
  copies: readonly KeyCopy[];
  /** On the way back: what the whole transaction has changed, for the log. */
  changes?: Bytes | undefined;
}

const nothing: Bytes = new Uint8Array(0);

/** The key as it stands. While the copy is in use, nobody may change a value that is an object or long. */
export function copyOf(
  keyspace: Keyspace,
  database: number,
  key: Bytes,
  writable: boolean,
): KeyCopy {
  const ref = keyspace.peek(key, 0, key.length);
  const copy: KeyCopy = {
    database,
    key: key.slice(),
    writable,
    isTouched: false,
    isStub: false,
    state: KeyState.absent,
    type: 0,
    encoding: 0,
    access: 0,
    expireAt: -1,
    value: nothing,
    object: undefined,
    sent: nothing,
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
  const isLong = length > LONG_COPY_BYTES;
  copy.value = isLong ? bytes.subarray(at, at + length) : bytes.slice(at, at + length);
}

/** Whether a copy of a key that is here takes long to be written. */
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
  } else if (sent.length > LONG_COPY_BYTES) {
    copy.value = yield* copyOfBytes(sent);
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
  if (copy.state === KeyState.bytes) {
    const isOwn = value.length > LONG_COPY_BYTES;
    const { length } = value;
    // prettier-ignore
    return keyspace.set(
      key, 0, key.length, value, 0, length, false, type, encoding, undefined, isOwn);
  }
  const codec = codecOf(type, encoding);
  const { object } = copy;
  return keyspace.setObject(key, 0, key.length, type, encoding, object, codec.bytesOf(object));
}

/**
 * Whether both say the same of the key; its access clock does not count. Of an object or a long value that changed
 * where it lay, `before` knows nothing any more: that is for the caller to know.
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

/** The message, in memory of its own. The values of its copies must stay as they are until it is made. */
export function* encodeCopies(message: CopyMessage): Steps<Bytes> {
  let size = MESSAGE_BYTES;
  const forms: (Encoded | undefined)[] = [];
  for (const { key, value, object, type, encoding } of message.copies) {
    const form = object === undefined ? undefined : yield* codecOf(type, encoding).encode(object);
    forms.push(form);
    size += KEY_BYTES + key.length + (form?.byteCount ?? value.length);
  }
  const { changes = nothing } = message;
  size += changes.length;
  const body = Buffer.allocUnsafeSlow(size);
  body.writeUInt32LE(message.transaction, 0);
  body.writeUInt32LE(message.shard, 4);
  const flags =
    (message.isBroken ? MessageFlag.broken : 0) |
    (message.isRefused === true ? MessageFlag.refused : 0);
  body.writeUInt32LE(flags, 8);
  body.writeUInt32LE(message.copies.length, 12);
  body.writeUInt32LE(message.transactions, 16);
  let at = MESSAGE_BYTES;
  for (const [nth, copy] of message.copies.entries()) {
    const form = forms[nth];
    const valueBytes = form?.byteCount ?? copy.value.length;
    body.writeUInt32LE(copy.database, at);
    body[at + 4] =
      (copy.writable ? KeyFlag.writable : 0) |
      (copy.isTouched ? KeyFlag.touched : 0) |
      (copy.isStub ? KeyFlag.stub : 0);
    body[at + 5] = copy.state;
    body[at + 6] = copy.type;
    body[at + 7] = copy.encoding;
    body.writeUInt32LE(copy.access, at + 8);
    body.writeDoubleLE(copy.expireAt, at + 12);
    body.writeUInt32LE(copy.key.length, at + 20);
    body.writeUInt32LE(valueBytes, at + 24);
    body.set(copy.key, at + KEY_BYTES);
    const valueAt = at + KEY_BYTES + copy.key.length;
    if (form === undefined) yield* copyInSteps(copy.value, body, valueAt);
    else yield* form.write(body, valueAt);
    at = valueAt + valueBytes;
  }
  yield* copyInSteps(changes, body, at);
  return body;
}

/** Reads a message; the copies are views of its bytes. */
export function decodeCopies(message: Bytes): CopyMessage {
  const body = asBuffer(message);
  const copies: KeyCopy[] = [];
  const flags = body.readUInt32LE(8);
  const count = body.readUInt32LE(12);
  let at = MESSAGE_BYTES;
  for (let nth = 0; nth < count; nth += 1) {
    const keyAt = at + KEY_BYTES;
    const valueAt = keyAt + body.readUInt32LE(at + 20);
    const end = valueAt + body.readUInt32LE(at + 24);
    assert(end <= body.length, 'a copy lies inside its message');
    copies.push({
      database: body.readUInt32LE(at),
      writable: (body[at + 4]! & KeyFlag.writable) !== 0,
      isTouched: (body[at + 4]! & KeyFlag.touched) !== 0,
      isStub: (body[at + 4]! & KeyFlag.stub) !== 0,
      state: body[at + 5]!,
      type: body[at + 6]!,
      encoding: body[at + 7]!,
      access: body.readUInt32LE(at + 8),
      expireAt: body.readDoubleLE(at + 12),
      key: body.subarray(keyAt, valueAt),
      value: body.subarray(valueAt, end),
      object: undefined,
      sent: body.subarray(valueAt, end),
    });
    at = end;
  }
  return {
    transaction: body.readUInt32LE(0),
    shard: body.readUInt32LE(4),
    isBroken: (flags & MessageFlag.broken) !== 0,
    isRefused: (flags & MessageFlag.refused) !== 0,
    transactions: body.readUInt32LE(16),
    copies,
    changes: body.subarray(at),
  };
}
