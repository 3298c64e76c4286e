/** Members of sorted sets in replies: with scores flat in RESP2, and in pairs in RESP3. */

import type { ReplyWriter } from '#resp';

/** The member that was read, and its score. */
interface ScoredMember {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly length: number;
  readonly score: number;
}

export function writeMembersHeader(reply: ReplyWriter, count: number, withScores: boolean): void {
  reply.arrayHeader(withScores && reply.protocol === 2 ? count * 2 : count);
}

export function writeMember(reply: ReplyWriter, member: ScoredMember, withScores: boolean): void {
  if (withScores && reply.protocol === 3) reply.arrayHeader(2);
  reply.bulk(member.bytes, member.at, member.length);
  if (withScores) reply.double(member.score);
}
