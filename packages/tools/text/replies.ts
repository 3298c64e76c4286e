/** Replies of a server as text and documents. */

import type { StatusDocument } from '#api-types';
import type { Reply } from '#resp';

/** Returns the text of a reply, which has a character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

/** Returns the document of STATUS JSON; throws an Error if the server has none. */
export function statusOf(reply: Reply, address: string): StatusDocument {
  if (typeof reply !== 'string') throw new Error(`${address}: STATUS JSON returned no document`);
  return JSON.parse(utf8(reply)) as StatusDocument;
}
