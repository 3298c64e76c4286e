/** Rate limits of users: each has one bucket of commands and one of bytes for all its connections. */

import { type CommandError, errors } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import { type Client, NOT_QUEUED } from '#router';

/** Commands that are never refused, though their bytes are charged: without them a client could not even learn why it is. */
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
  const commands = FREE.has(entry.name) ? undefined : commandsOf(client, entry);
  return charge(client, commands, args, nowUs);
}

/** Charges a command that is not run, because it is unknown or not permitted: repeated attempts count. */
export function chargeFailure(
  client: Client,
  args: Arguments,
  nowUs: number,
): CommandError | undefined {
  return charge(client, 1, args, nowUs);
}

/** Charges `commands` commands, or none for a command that is never refused, and the bytes of the arguments. */
function charge(
  client: Client,
  commands: number | undefined,
  args: Arguments,
  nowUs: number,
): CommandError | undefined {
  const { account, replies, session } = client;
  if (account.chargedSequence === replies.nextSequence) return undefined;
  const error = commands === undefined ? undefined : takeCommands(client, commands, nowUs);
  if (error !== undefined) return refuse(client, error);
  const { byteTokens } = session.identity;
  if (byteTokens.isLimited) byteTokens.owe(bytesOf(args));
  account.chargedSequence = replies.nextSequence;
  return undefined;
}

function takeCommands(client: Client, commands: number, nowUs: number): CommandError | undefined {
  const { commandTokens, byteTokens } = client.session.identity;
  if (byteTokens.isLimited) {
    chargeOutput(client);
    byteTokens.refill(nowUs);
    if (byteTokens.tokens <= 0) return errors.tooManyBytes;
  }
  if (!commandTokens.isLimited) return undefined;
  commandTokens.refill(nowUs);
  return commandTokens.take(commands) ? undefined : errors.tooManyCommands;
}

/** Number of commands to charge: queued ones are charged with EXEC. */
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

/**
 * Charges the user that a client has now with the replies and messages that came since the last time; without a limit,
 * they are never charged. Called whenever some are written, and before the client becomes another user.
 */
export function chargeOutput(client: Client): void {
  const total = client.socket.output.bytesWritten + client.replies.unsentBytes;
  const bytes = total - client.account.chargedBytesOut;
  if (bytes <= 0) return;
  client.account.chargedBytesOut = total;
  const { byteTokens } = client.session.identity;
  if (byteTokens.isLimited) byteTokens.owe(bytes);
}

/** A refusal costs nothing, or who keeps asking would never be let in again. */
function refuse(client: Client, error: CommandError): CommandError {
  if (!client.session.isMuted)
    client.account.chargedBytesOut += error.text.length + ERROR_FRAME_BYTES;
  return error;
}
