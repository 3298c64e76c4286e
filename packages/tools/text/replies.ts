/** Replies of a server as text and documents. */

import type { StatusDocument } from '#api-types';
import type { ReplyClient } from '#net';
import { ReplyError, type Reply } from '#resp';

/** Returns the text of a reply, which has a character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

/** Returns the document of STATUS JSON; throws an Error if the server has none. */
export function statusOf(reply: Reply, address: string): StatusDocument {
  if (typeof reply !== 'string') throw new Error(`${address}: STATUS JSON returned no document`);
  return JSON.parse(utf8(reply)) as StatusDocument;
}

/** Returns the reply to a command; null, with the reason added to `missing`, if the server refuses it to the user. */
export async function askPart(
  client: ReplyClient,
  missing: string[],
  words: readonly string[],
): Promise<Reply> {
  try {
    return await client.call(...words);
  } catch (error) {
    if (!(error instanceof ReplyError)) throw error;
    missing.push(`${words.slice(0, 2).join(' ')}: ${error.message}`);
    return null;
  }
}
