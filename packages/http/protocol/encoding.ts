/** Form of a response: compressed if the client accepts it, and without a body if the client has the current version. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { JSON_TYPE, type Answer } from './answer.ts';

const compress = promisify(gzip);
/** Less is sent in one packet anyway. */
const BYTES_MIN = 1_024;
const COMPRESSIBLE = /^(text\/|application\/(json|openmetrics-text|manifest\+json)|image\/svg)/;

/** Request headers that select the form of the response. */
export interface Acceptance {
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** Names the content; the same for the same bytes. */
export function tagOf(body: string | Buffer): string {
  return `W/"${createHash('sha1').update(body).digest('base64url')}"`;
}

export async function encodedAnswer(answer: Answer, acceptance: Acceptance): Promise<Answer> {
  const { status, body } = answer;
  if (status !== 200 || !(typeof body === 'string' || Buffer.isBuffer(body))) return answer;
  const tagged = withHeaders(answer, body);
  const tag = tagged.headers?.['ETag'];
  if (tag !== undefined && matches(acceptance.ifNoneMatch, tag)) {
    return { ...tagged, status: 304, body: '' };
  }
  return compressed(tagged, body, accepted(acceptance.acceptEncoding));
}

async function compressed(
  answer: Answer,
  body: string | Buffer,
  takes: (encoding: string) => boolean,
): Promise<Answer> {
  for (const [encoding, bytes] of Object.entries(answer.encodings ?? {})) {
    if (takes(encoding)) return sentAs(encoding, bytes, answer);
  }
  const isWorthwhile = COMPRESSIBLE.test(answer.type) && body.length >= BYTES_MIN;
  return isWorthwhile && takes('gzip') ? sentAs('gzip', await compress(body), answer) : answer;
}

/** Documents are tagged; other text changes with every answer. */
function withHeaders(answer: Answer, body: string | Buffer): Answer {
  const headers: Record<string, string> = { ...answer.headers };
  if (answer.type === JSON_TYPE) headers['ETag'] ??= tagOf(body);
  if (COMPRESSIBLE.test(answer.type)) headers['Vary'] = 'Accept-Encoding';
  return { ...answer, headers };
}

function sentAs(encoding: string, body: Buffer, answer: Answer): Answer {
  return { ...answer, body, headers: { ...answer.headers, 'Content-Encoding': encoding } };
}

/** A weak comparison, as RFC 9110 wants it here. */
function matches(ifNoneMatch: string, tag: string): boolean {
  const opaque = (text: string): string => text.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(tag));
}

/** Returns a predicate for the encodings that a header accepts. */
function accepted(header: string): (encoding: string) => boolean {
  const weights = new Map(
    header.split(',').map((each) => {
      const [name = '', weight = ''] = each.toLowerCase().split(';');
      return [name.trim(), !/^ *q *= *0(\.0*)? *$/.test(weight)];
    }),
  );
  return (encoding) => weights.get(encoding) ?? weights.get('*') ?? false;
}
