/** Loans: warm values in memory. */
import { type Bytes, type CommandError, finish } from '#base';
import { CELL_BYTES_MAX } from '../memory/limits.ts';
import { codecOf } from '../values/codecs.ts';
import type { ValueView } from '../values/shared-views.ts';
import { readEntry } from './extent.ts';

const NOTHING: Bytes = new Uint8Array(0);

/** A warm value that commands use; its record is as it was. */
export interface Loan {
  /** The contents of the database that its key is in, by their number. */
  readonly owner: number;
  /** Memory that the name of the key is in. */
  keyBytes: Bytes;
  keyAt: number;
  keyLength: number;
  /** Bytes of the value; only if it is no object. */
  readonly bytes: Bytes;
  readonly object: unknown;
  objectBytes: number;
  /** A command may have changed it. */
  isWritten: boolean;
  /** Commands that have still to run, and that it was fetched for. */
  awaited: number;
  /** Error in the place of a value that could not be read. */
  readonly failure: CommandError | undefined;
}

/** The value of a sound entry, whose memory is the loan's. */
export function loanOf(owner: number, entry: Bytes): Loan {
  const { keyAt, keyLength, valueAt, valueLength, type, encoding, isObject } = readEntry(entry);
  // Who takes it over may keep what is too long for a record, or what an object is made of.
  const bytes =
    isObject || valueLength > CELL_BYTES_MAX
      ? entry.slice(valueAt, valueAt + valueLength)
      : entry.subarray(valueAt, valueAt + valueLength);
  const codec = isObject ? codecOf(type, encoding) : undefined;
  const object = codec && finish(codec.decode([bytes]));
  return {
    owner,
    keyBytes: entry,
    keyAt,
    keyLength,
    bytes: isObject ? NOTHING : bytes,
    object,
    objectBytes: codec?.bytesOf(object) ?? 0,
    isWritten: false,
    awaited: 0,
    failure: undefined,
  };
}

/** Stands for a value that could not be read. */
export function failedLoan(owner: number, failure: CommandError): Loan {
  return {
    owner,
    keyBytes: NOTHING,
    keyAt: 0,
    keyLength: 0,
    bytes: NOTHING,
    object: undefined,
    objectBytes: 0,
    isWritten: false,
    awaited: 0,
    failure,
  };
}

/** Sets the name of a key that was renamed after its entry was written. */
export function nameLoan(loan: Loan, name: Bytes): void {
  loan.keyBytes = name;
  loan.keyAt = 0;
  loan.keyLength = name.length;
}

/** Points the shared view at the value's bytes. */
export function viewLoan(loan: Loan, view: ValueView): ValueView {
  view.bytes = loan.bytes;
  view.view = undefined;
  view.at = 0;
  view.length = loan.bytes.length;
  return view;
}
