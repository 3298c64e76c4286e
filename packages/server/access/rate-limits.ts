/** Rate limits of users: each has one bucket of commands and one of bytes for all its connections. */

import { errors, type CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import { NOT_QUEUED, type Client } from '#router';

/** Commands that are free: without them a client could not even learn why it is refused. */
const FREE: ReadonlySet<string> = new Set(['AUTH', 'HELLO', 'PING', 'QUIT', 'RESET']);

/** Bytes of an error on the wire, beside its text. */
const ERROR_FRAME_BYTES = 3;

/** Charges a command to the limits of its client's user; the error when it is over them, and then nothing is charged. */
export function chargeLimits(
  client: Client,
  entry: CommandEntry,
  args: Arguments,
  nowUs: number,
): CommandError | undefined {
  const { commandTokens, byteTokens } = client.identity;
  if (FREE.has(entry.name) || client.chargedSequence === client.nextSequence) return undefined;
  if (byteTokens.isLimited) {
    byteTokens.refill(nowUs);
    byteTokens.owe(newReplyBytes(client));
    if (byteTokens.tokens <= 0) return refuse(client, errors.tooManyBytes);
  }
  if (commandTokens.isLimited) {
    commandTokens.refill(nowUs);
    if (!commandTokens.take(commandsOf(client, entry)))
      return refuse(client, errors.tooManyCommands);
  }
  if (byteTokens.isLimited) byteTokens.owe(bytesOf(args));
  client.chargedSequence = client.nextSequence;
  return undefined;
}

/** Commands that are charged: what is queued is charged with EXEC. */
function commandsOf({ transaction }: Client, entry: CommandEntry): number {
  if (transaction === undefined) return 1;
  if (entry.route === 'exec') return Math.max(1, transaction.queue.count);
  return NOT_QUEUED.has(entry) ? 1 : 0;
}

/** Bytes of a command, from its name to the end of its last argument. */
function bytesOf(args: Arguments): number {
  const last = args.count - 1;
  return args.at(last) + args.length(last) - args.at(0);
}

/** Bytes of replies that have come since the last command that was charged. */
function newReplyBytes(client: Client): number {
  const { output } = client.socket;
  const total = output.bytesWritten + output.pendingBytes + client.parkedBytes;
  const isFirst = client.chargedBytesOut < 0;
  const charged = isFirst ? total : client.chargedBytesOut;
  client.chargedBytesOut = Math.max(total, charged);
  return Math.max(0, total - charged);
}

/** A refusal costs nothing, or who keeps asking would never be let in again. */
function refuse(client: Client, error: CommandError): CommandError {
  if (client.chargedBytesOut >= 0) {
    client.chargedBytesOut += error.text.length + ERROR_FRAME_BYTES;
  }
  return error;
}
