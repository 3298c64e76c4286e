/** Many elements of a value at once in replies. */

import type { ReplyWriter } from '#resp';
import type { Listpack } from '#store';

/** Answers so many, from the one on that it stands at; all of them are there. */
export function replyEach(
  reply: ReplyWriter,
  elements: Pick<Listpack, 'each'>,
  count: number,
): void {
  elements.each(count, (bytes, at, length) => reply.bulk(bytes, at, length), reply.entries);
}
