import { type Bytes, latin1 } from '#base';

/** Malformed bytes of a value. Thrown while a value is read, before anything is stored. */
export class MalformedValueError extends Error {
  override readonly name: string = 'MalformedValueError';
}

/** A collection without elements: Redis skips its key. */
export class EmptyValueError extends MalformedValueError {
  override readonly name = 'EmptyValueError';
}

/** The file cannot be read; the message has the reason and the position. */
export class RdbFileError extends Error {
  override readonly name = 'RdbFileError';
}

const malformed = new MalformedValueError('not a value that this server can read');

const empty = new EmptyValueError('a collection without elements');

/** Ends the reading of a collection that has no elements. */
export function demandElements(count: number): void {
  if (count === 0) throw empty;
}

/** Ends the reading unless the condition holds. The error is made once: it has no stack of its own. */
export function demand(condition: boolean): asserts condition {
  if (!condition) throw malformed;
}

/** Bytes of a key's name that are shown. */
const SHOWN_BYTES = 64;

/** The name of a key in quotes, as it is shown to people. */
export function shownKey(key: Bytes): string {
  const name = JSON.stringify(latin1(key.subarray(0, SHOWN_BYTES)));
  return key.length > SHOWN_BYTES ? `${name}...` : name;
}
