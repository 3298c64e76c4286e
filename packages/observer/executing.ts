/**
 * Command that a shard is executing now, read from its page and from the frame it has not released: needs no answer
 * from it.
 */

import { createHash } from 'node:crypto';
import { type Bytes, latin1 } from '#base';
import { Arguments, commandTable, findKeys } from '#commands';
import type { Page } from '#stats';
import { FrameKind, HOST_WORDS, KIND_MASK, type LinkMemory, Request, TRANSFERRED } from '#link';

export interface Executing {
  /** Lower case, as `client|list`. */
  command: string;
  /** The first key, at most 128 bytes of it; null if there is none, or if it cannot be read. */
  key: Bytes | null;
  /** Main's slot of the client. */
  connection: number;
  elapsedUs: number;
}

const KEY_BYTES_MAX = 128;

/** Null when the thread of the page executes nothing. */
export function executingIn(page: Page, memory: LinkMemory, nowUs: number): Executing | null {
  const id = page.get('executing') - 1;
  const entry = commandTable.entries[id];
  if (entry === undefined) return null;
  return {
    command: entry.lowerName,
    key: firstKey(page.get('executingFrame'), id, memory),
    connection: page.get('executingClient'),
    elapsedUs: Math.max(0, nowUs - page.get('executingSinceUs')),
  };
}

/** Maximum number of words of a command that are shown, and of bytes of each. */
const WORDS_MAX = 64;
const WORD_BYTES_MAX = 1_024;

/** Returns the words of the command that the thread of the page executes; none if they cannot be read. */
export function commandIn(page: Page, memory: LinkMemory): readonly string[] {
  const id = page.get('executing') - 1;
  const args = argumentsAt(page.get('executingFrame'), id, memory);
  if (args === undefined) return [];
  const count = Math.min(args.count, WORDS_MAX);
  return Array.from({ length: count }, (_, index) => args.latin1(index).slice(0, WORD_BYTES_MAX));
}

/** Longest source whose digest is made. */
const SOURCE_BYTES_MAX = 64 * 1_024;
/** Maximum length of a function name that is shown. */
const NAME_BYTES_MAX = 128;

/**
 * Script that the thread of the page runs: its digest, or the function's name. Null when the command runs none, when its
 * source is longer than 64 KiB, or when the frame cannot be read.
 */
export function scriptIn(page: Page, memory: LinkMemory): string | null {
  const id = page.get('executing') - 1;
  const role = commandTable.entries[id]?.script;
  if (role === undefined) return null;
  const index = role === 'load' ? 2 : 1;
  const isSource = role === 'load' || role === 'source';
  const place = { word: page.get('executingFrame'), id, index };
  const bytes = argumentIn(place, memory, isSource ? SOURCE_BYTES_MAX : NAME_BYTES_MAX);
  if (bytes === null) return null;
  if (isSource) return createHash('sha1').update(bytes).digest('hex');
  const name = latin1(bytes);
  return role === 'digest' ? name.toLowerCase() : name;
}

interface ArgumentPlace {
  readonly word: number;
  readonly id: number;
  readonly index: number;
}

/** Returns a copy of an argument of a command; null if it exceeds `lengthMax`, or cannot be read. */
function argumentIn(
  { word, id, index }: ArgumentPlace,
  memory: LinkMemory,
  lengthMax: number,
): Bytes | null {
  const args = argumentsAt(word, id, memory);
  if (args === undefined || args.count <= index) return null;
  const end = (word << 2) + memory.words[word + Request.bytes]!;
  const at = args.at(index);
  const length = args.length(index);
  // The shard may have continued meanwhile, so that the words have another meaning.
  if (at < word << 2 || at + length > end || length > lengthMax) return null;
  return memory.bytes.slice(at, at + length);
}

function argumentsAt(word: number, id: number, memory: LinkMemory): Arguments | undefined {
  const { words, bytes } = memory;
  if (word <= 0 || id < 0 || words[word + Request.command] !== id) return undefined;
  const kind = words[word + Request.kind]!;
  if ((kind & TRANSFERRED) !== 0) return undefined;
  const spans = word + Request.spans + ((kind & KIND_MASK) === FrameKind.host ? HOST_WORDS : 0);
  const count = words[word + Request.argumentCount]!;
  const args = new Arguments();
  args.point(bytes, (spans + 2 * count) << 2, words, spans, count);
  return args;
}

function firstKey(word: number, id: number, memory: LinkMemory): Bytes | null {
  const { words, bytes } = memory;
  const entry = commandTable.entries[id];
  const args = argumentsAt(word, id, memory);
  if (args === undefined || entry === undefined) return null;
  const end = (word << 2) + words[word + Request.bytes]!;
  const [found] = findKeys(entry.command.keys, args) ?? [];
  if (found === undefined) return null;
  const at = args.at(found.index);
  const length = Math.min(args.length(found.index), KEY_BYTES_MAX);
  // The shard may have continued meanwhile, so that the words have another meaning.
  return at < word << 2 || at + length > end ? null : bytes.slice(at, at + length);
}
