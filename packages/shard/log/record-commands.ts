/** Kinds of the log's records, and the commands that they are of. */

import { latin1 } from '#base';
import { type CommandEntry, commandTable } from '#commands';
import { Request, REQUEST_HEADER_BYTES } from '#link';
import { Record, RECORD_KIND_MASK, transactionId } from '#persistence';
import type { Frame } from '../frames/frame.ts';

/** 'set' in the first three bytes, and what makes letters lower. */
const SET = 0x74_65_73;
const LOWER_CASE = 0x20_20_20;

/** True when the record's size is one that a record in that place can have. */
export function hasSoundSize({ byteCount, word, bytes }: Frame): boolean {
  const isOne = byteCount >= REQUEST_HEADER_BYTES && byteCount % 8 === 0;
  return isOne && (word << 2) + byteCount <= bytes.length;
}

/**
 * Returns the command whose spans start `spans` words after the start of the record; undefined if this version has no
 * such command.
 */
export function entryOf(record: Frame, spans: number): CommandEntry | undefined {
  const { bytes, words, word } = record;
  const count = words[word + Record.argumentCount]!;
  const body = (word + spans + 2 * count) << 2;
  const at = word + spans;
  const entry = commandTable.find(bytes, body + words[at]!, words[at + 1]!);
  if (entry?.route !== 'container' || count < 2) return entry;
  return entry.subcommand(bytes, body + words[at + 2]!, words[at + 3]!) ?? entry;
}

export function nameOf({ bytes, words, word }: Frame, spans: number): string {
  const body = (word + spans + 2 * words[word + Record.argumentCount]!) << 2;
  return latin1(bytes, body + words[word + spans]!, words[word + spans + 1]);
}

/** True when a record of the kind `command` is SET without options: most of most logs. */
export function isPlainSet({ bytes, words, word }: Frame): boolean {
  const spans = word + Request.spans;
  if (words[word + Record.argumentCount] !== 3 || words[spans + 1] !== 3) return false;
  const at = ((spans + 6) << 2) + words[spans]!;
  const name = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
  return (name | LOWER_CASE) === SET;
}

export function kindOf({ words, word }: Frame): number {
  return words[word + Record.kind]! & RECORD_KIND_MASK;
}

export function idOf({ words, word }: Frame): number {
  const epoch = words[word + Record.epoch]! >>> 0;
  return transactionId(epoch, words[word + Record.transaction]! >>> 0);
}
