/**
 * Command that a shard is executing now, read from its page and from the frame it has not released: needs no answer
 * from it.
 */

import type { Bytes } from '#base';
import { Arguments, commandTable, findKeys } from '#commands';
import type { Page } from '#stats';
import { FrameKind, HOST_WORDS, KIND_MASK, Request, TRANSFERRED, type LinkMemory } from '#link';

export interface Executing {
  /** Lower case, as `client|list`. */
  command: string;
  /** The first key, at most 128 bytes of it; null when it has none or it is not to be had. */
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

function firstKey(word: number, id: number, memory: LinkMemory): Bytes | null {
  const { words, bytes } = memory;
  const entry = commandTable.entries[id];
  if (word <= 0 || entry === undefined || words[word + Request.command] !== id) return null;
  const kind = words[word + Request.kind]!;
  if ((kind & TRANSFERRED) !== 0) return null;
  const spans = word + Request.spans + ((kind & KIND_MASK) === FrameKind.host ? HOST_WORDS : 0);
  const count = words[word + Request.argumentCount]!;
  const end = (word << 2) + words[word + Request.bytes]!;
  const args = new Arguments();
  args.point(bytes, (spans + 2 * count) << 2, words, spans, count);
  const [found] = findKeys(entry.command.keys, args) ?? [];
  if (found === undefined) return null;
  const at = args.at(found.index);
  const length = Math.min(args.length(found.index), KEY_BYTES_MAX);
  // The shard may have gone on meanwhile, and the words may mean something else by now.
  return at < word << 2 || at + length > end ? null : bytes.slice(at, at + length);
}
