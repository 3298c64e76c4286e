/** Entries of a listpack in replies. */

import type { ReplyWriter } from '#resp';
import type { Listpack } from '#store';

/** Answers so many, from the one on that it stands at; all of them are there. */
export function replyEach(reply: ReplyWriter, entries: Listpack, count: number): void {
  entries.eachText(count, (bytes, at, length) => reply.bulk(bytes, at, length), reply.entries);
}
