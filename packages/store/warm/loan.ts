/** Warm values at hand. */
import { finish, type Bytes, type CommandError } from '#base';
import { codecOf } from '../records/codecs.ts';
import type { ValueView } from '../records/shared-views.ts';
import { readEntry } from './extent.ts';

const NOTHING: Bytes = new Uint8Array(0);

/** A warm value that commands use; its record is as it was. */
export interface Loan {
  /** The contents of the database that its key is in, by their number. */
  readonly owner: number;
  key: Bytes;
  /** The value, where it is no object. */
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

/** The value of a sound entry, in memory of its own. */
export function loanOf(owner: number, entry: Bytes): Loan {
  const { bytes, keyAt, keyLength, valueAt, valueLength, ...facts } = readEntry(entry);
  const key = bytes.slice(keyAt, keyAt + keyLength);
  const loan = { owner, key, isWritten: false, awaited: 0, failure: undefined };
  const value = bytes.slice(valueAt, valueAt + valueLength);
  if (!facts.isObject) return { ...loan, bytes: value, object: undefined, objectBytes: 0 };
  const codec = codecOf(facts.type, facts.encoding);
  const object = finish(codec.decode([value]));
  return { ...loan, bytes: NOTHING, object, objectBytes: codec.bytesOf(object) };
}

/** Stands for a value that could not be read. */
export function failedLoan(owner: number, failure: CommandError): Loan {
  return {
    owner,
    key: NOTHING,
    bytes: NOTHING,
    object: undefined,
    objectBytes: 0,
    isWritten: false,
    awaited: 0,
    failure,
  };
}

/** Points the shared view at the value's bytes. */
export function viewLoan(loan: Loan, view: ValueView): ValueView {
  view.bytes = loan.bytes;
  view.view = undefined;
  view.at = 0;
  view.length = loan.bytes.length;
  return view;
}
