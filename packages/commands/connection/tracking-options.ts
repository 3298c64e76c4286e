/** The options of CLIENT TRACKING, read and judged in Redis' order. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ConnectionContext } from './ports.ts';
import type { TrackingOptions, TrackingState } from '../contexts/tracking-state.ts';

const oneRedirection = new CommandError('ERR A client can only redirect to a single other client');
const noSuchRedirection = new CommandError('ERR The client ID you want redirect to does not exist');
const prefixWithoutBroadcast = new CommandError(
  'ERR PREFIX option requires BCAST mode to be enabled',
);
const broadcastSwitched = new CommandError(
  "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
);
const broadcastWithChoice = new CommandError('ERR OPTIN and OPTOUT are not compatible with BCAST');
const bothChoices = new CommandError("ERR You can't specify both OPTIN mode and OPTOUT mode");
const choiceSwitched = new CommandError(
  "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
);

export function readTrackingOptions(
  { clients }: ConnectionContext,
  args: Arguments,
): TrackingOptions {
  const options = {
    redirection: 0,
    prefixes: [] as string[],
    broadcasts: false,
    optIn: false,
    optOut: false,
    noLoop: false,
  };
  while (args.more) {
    if (args.left > 1 && args.takes('REDIRECT')) {
      if (options.redirection !== 0) throw oneRedirection;
      options.redirection = args.integer();
      if (clients.byId(options.redirection) === undefined) throw noSuchRedirection;
    } else if (args.takes('BCAST')) options.broadcasts = true;
    else if (args.takes('OPTIN')) options.optIn = true;
    else if (args.takes('OPTOUT')) options.optOut = true;
    else if (args.takes('NOLOOP')) options.noLoop = true;
    else if (args.left > 1 && args.takes('PREFIX')) options.prefixes.push(args.text());
    else throw errors.syntax;
  }
  return options;
}

/** Throws when the options do not go together, or with how the client tracks already. */
export function judgeTrackingOptions(
  options: TrackingOptions,
  state: TrackingState | undefined,
): void {
  const { broadcasts, prefixes } = options;
  if (!broadcasts && prefixes.length > 0) throw prefixWithoutBroadcast;
  if (state !== undefined && state.broadcasts !== broadcasts) throw broadcastSwitched;
  judgeChoice(options, state);
  judgePrefixes(prefixes, state?.prefixes ?? []);
}

function judgeChoice(
  { broadcasts, optIn, optOut }: TrackingOptions,
  state: TrackingState | undefined,
): void {
  if (broadcasts && (optIn || optOut)) throw broadcastWithChoice;
  if (optIn && optOut) throw bothChoices;
  if (optIn ? state?.optOut === true : optOut && state?.optIn === true) throw choiceSwitched;
}

/** Throws when a key could have two of a client's prefixes. */
function judgePrefixes(prefixes: readonly string[], before: readonly string[]): void {
  const given = [...before, ...prefixes];
  const isOverlapping = overlapsOf(given);
  for (const [index, prefix] of prefixes.entries()) {
    if (isOverlapping[before.length + index] !== true) continue;
    const existing = before.find((each) => overlap(prefix, each));
    if (existing !== undefined) throw collision(prefix, `an existing prefix '${existing}'`);
    const other = prefixes.slice(index + 1).find((each) => overlap(prefix, each));
    if (other !== undefined) throw collision(prefix, `another provided prefix '${other}'`);
  }
}

/**
 * Returns for each prefix whether it overlaps with any other. In byte order all strings that start with a prefix follow
 * it in one run, so each is compared with few others, regardless of their number.
 */
function overlapsOf(prefixes: readonly string[]): readonly boolean[] {
  const found = new Array<boolean>(prefixes.length).fill(false);
  const inOrder = prefixes.map((_, index) => index);
  inOrder.sort((a, b) => (prefixes[a]! < prefixes[b]! ? -1 : 1));
  // Prefixes that the one before begins with, the shortest first.
  const open: number[] = [];
  for (const index of inOrder) {
    while (open.length > 0 && !prefixes[index]!.startsWith(prefixes[open.at(-1)!]!)) open.pop();
    if (open.length > 0) {
      found[index] = true;
      found[open.at(-1)!] = true;
    }
    open.push(index);
  }
  return found;
}

function overlap(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function collision(prefix: string, what: string): CommandError {
  return new CommandError(
    `ERR Prefix '${prefix}' overlaps with ${what}. Prefixes for a single client must not overlap.`,
  );
}
