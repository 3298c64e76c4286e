/** Words about denials, as Redis 7.4 has them. */

import type { CommandEntry } from '#commands';
import type { DenialReason } from './acl-log.ts';
import { Denied, reasonOf, type Verdict } from '../verdict.ts';

/** Reason of a verdict that denies, as ACL LOG names it. */
export function denialReason(verdict: Verdict): Exclude<DenialReason, 'auth'> {
  const reason = reasonOf(verdict);
  if (reason === Denied.command) return 'command';
  return reason === Denied.key ? 'key' : 'channel';
}

/** A denial in words; `object`, the key or channel, is named where it is given. A character for each byte. */
export function denialText(
  verdict: Verdict,
  user: string,
  entry: CommandEntry,
  object?: string,
): string {
  const reason = denialReason(verdict);
  if (reason === 'command') {
    return `User ${user} has no permissions to run the '${entry.knownName}' command`;
  }
  if (object === undefined) return `No permissions to access a ${reason}`;
  return `User ${user} has no permissions to access the '${object}' ${reason}`;
}

/** A denial at EXEC of what could be queued, in words. */
export function denialInExec(verdict: Verdict): string {
  const reason = {
    command: 'no permission to execute the command or subcommand',
    key: 'no permission to touch the specified keys',
    channel: 'no permission to access one of the channels used as arguments',
  }[denialReason(verdict)];
  return `ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is no longer allowed for the following reason: ${reason}`;
}
