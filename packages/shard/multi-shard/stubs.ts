/**
 * Stubs of long lists and sets, lent to commands that only add elements: just enough to recognize the added ones,
 * regardless of the length of the value. The host runs the ordinary code on a stub and returns the elements, and the
 * lender adds them to the real value.
 */

import { type Bytes, reused } from '#base';
import { type Keyspace, ListValue, SetValue, stubList, ValueType } from '#store';
import { KeyState, type KeyCopy } from './key-copies.ts';

/** Two marker elements of a list: an element added at either end is recognized by its position relative to them. */
const FIRST = 0x30;
const SECOND = 0x31;
const LIST_STUB = stubList(Uint8Array.of(FIRST), Uint8Array.of(SECOND));

const listScratch = reused(new ListValue());
const setScratch = reused(new SetValue());
const NO_LIST_LIMITS = { size: 0, compressDepth: 0, plainBytes: 0 };
const NO_SET_LIMITS = { entries: 0, valueBytes: 0, intsetEntries: 0 };

/** The stub of a long list, or of a set to which `element` is added; anything else as it is. */
export function stubOf(keyspace: Keyspace, copy: KeyCopy, element: Bytes | undefined): KeyCopy {
  if (copy.state !== KeyState.object) return copy;
  if (copy.type === ValueType.list) return { ...copy, ...asBytes(LIST_STUB) };
  if (copy.type !== ValueType.set || element === undefined) return copy;
  const ref = keyspace.peek(copy.key, 0, copy.key.length);
  const has = setScratch.open(keyspace, ref, NO_SET_LIMITS).has(element, 0, element.length);
  return { ...copy, ...asBytes(stubList(has ? element : otherThan(element))) };
}

function asBytes({ encoding, value }: ReturnType<typeof stubList>): Partial<KeyCopy> {
  return { isStub: true, state: KeyState.bytes, encoding, value, object: undefined };
}

/** A member that is one byte longer. */
function otherThan(element: Bytes): Bytes {
  const other = new Uint8Array(element.length + 1);
  other.set(element);
  return other;
}

/** Returns what was added to a stub; the key as it is where the stub had expired and another value is in its place. */
export function addedTo(keyspace: Keyspace, after: KeyCopy): KeyCopy {
  const ref = keyspace.peek(after.key, 0, after.key.length);
  if (ref === 0) return after;
  const value = after.type === ValueType.list ? pushedTo(keyspace, ref) : newIn(keyspace, ref);
  if (value === undefined) return after;
  return { ...after, state: KeyState.pushed, value, object: undefined };
}

function pushedTo(keyspace: Keyspace, ref: number): Bytes | undefined {
  listScratch.open(keyspace, ref, NO_LIST_LIMITS);
  if (listScratch.count !== LIST_STUB.count + 1) return undefined;
  listScratch.seek(1);
  listScratch.read();
  const isHead = listScratch.length === 1 && listScratch.bytes[listScratch.at] === FIRST;
  listScratch.seek(isHead ? 0 : 2);
  listScratch.read();
  return valueOf(isHead, listScratch);
}

/** The shorter of two members. */
function newIn(keyspace: Keyspace, ref: number): Bytes | undefined {
  setScratch.open(keyspace, ref, NO_SET_LIMITS);
  if (setScratch.count !== 2) return undefined;
  const values: Bytes[] = [];
  for (let more = setScratch.first(); more; more = setScratch.next()) {
    setScratch.read();
    values.push(valueOf(false, setScratch));
  }
  return values.sort((a, b) => a.length - b.length)[0];
}

function valueOf(
  isHead: boolean,
  { bytes, at, length }: { readonly bytes: Bytes; readonly at: number; readonly length: number },
): Bytes {
  const value = new Uint8Array(1 + length);
  value[0] = isHead ? 1 : 0;
  value.set(bytes.subarray(at, at + length), 1);
  return value;
}

interface Pushed {
  readonly isHead: boolean;
  readonly element: Bytes;
}

export function pushedOf({ value }: KeyCopy): Pushed {
  return { isHead: value[0] === 1, element: value.subarray(1) };
}

/** The command that does the same again. */
export function pushCommandOf(copy: KeyCopy): readonly (string | Bytes)[] {
  const { isHead, element } = pushedOf(copy);
  const push = isHead ? 'LPUSH' : 'RPUSH';
  return [copy.type === ValueType.set ? 'SADD' : push, copy.key, element];
}
