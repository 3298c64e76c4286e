/** Many elements of a value at once in replies. */

import type { ReplyWriter } from '#resp';
import type { Listpack } from '#store';

/** Replies with `count` elements from the current position of the iterator; all of them must exist. */
export function replyEach(
  reply: ReplyWriter,
  elements: Pick<Listpack, 'each'>,
  count: number,
): void {
  elements.each(count, (bytes, at, length) => reply.bulk(bytes, at, length), reply.entries);
}
