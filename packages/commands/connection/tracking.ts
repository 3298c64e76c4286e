/** CLIENT TRACKING and related commands: invalidation messages for keys that a client has read. */

import { CommandError, errors } from '#base';
import { onMain, type CommandHead } from '../definition/definition.ts';
import { noKeys } from '../definition/keys.ts';
import type { ConnectionContext } from './ports.ts';
import { judgeTrackingOptions, readTrackingOptions } from './tracking-options.ts';
import type { TrackingState } from '../contexts/tracking-state.ts';

const ofTracking = {
  group: 'connection',
  keys: noKeys,
  complexity: 'O(1)',
  flags: ['noscript', 'loading', 'stale'],
} as const satisfies Partial<CommandHead>;

const tracking = onMain<ConnectionContext>({
  ...ofTracking,
  name: 'CLIENT|TRACKING',
  summary: 'Switches invalidation messages for keys read by this connection on or off.',
  since: '6.0.0',
  arity: -3,
  args: [
    {
      name: 'status',
      type: 'oneof',
      arguments: [
        { name: 'on', type: 'pure-token', token: 'ON' },
        { name: 'off', type: 'pure-token', token: 'OFF' },
      ],
    },
    { name: 'client-id', type: 'integer', token: 'REDIRECT', optional: true },
    {
      name: 'prefix',
      type: 'string',
      token: 'PREFIX',
      optional: true,
      multiple: true,
      multipleToken: true,
    },
    { name: 'bcast', type: 'pure-token', token: 'BCAST', optional: true },
    { name: 'optin', type: 'pure-token', token: 'OPTIN', optional: true },
    { name: 'optout', type: 'pure-token', token: 'OPTOUT', optional: true },
    { name: 'noloop', type: 'pure-token', token: 'NOLOOP', optional: true },
  ],
  run(context, args) {
    const { client, reply, tracks } = context;
    const status = args.next();
    const options = readTrackingOptions(context, args);
    if (args.spellsAt(status, 'ON')) {
      judgeTrackingOptions(options, client.roles.tracking);
      tracks.enable(client, options);
    } else if (args.spellsAt(status, 'OFF')) {
      tracks.disable(client);
    } else {
      throw errors.syntax;
    }
    reply.ok();
  },
});

const cachingWithoutTracking = new CommandError(
  'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled',
);
const cachingNotOptIn = new CommandError(
  'ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.',
);
const cachingNotOptOut = new CommandError(
  'ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.',
);

const caching = onMain({
  ...ofTracking,
  name: 'CLIENT|CACHING',
  sessionOnly: true,
  summary: 'Switches tracking of the keys of the next command on or off.',
  since: '6.0.0',
  arity: 3,
  args: [
    {
      name: 'mode',
      type: 'oneof',
      arguments: [
        { name: 'yes', type: 'pure-token', token: 'YES' },
        { name: 'no', type: 'pure-token', token: 'NO' },
      ],
    },
  ],
  run({ client, reply }, args) {
    const { tracking: state } = client.roles;
    if (state === undefined) throw cachingWithoutTracking;
    if (args.takes('YES')) {
      if (!state.optIn) throw cachingNotOptIn;
    } else if (args.takes('NO')) {
      if (!state.optOut) throw cachingNotOptOut;
    } else {
      throw errors.syntax;
    }
    state.isCachingGiven = true;
    reply.ok();
  },
});

const trackingInfo = onMain({
  ...ofTracking,
  name: 'CLIENT|TRACKINGINFO',
  summary: 'Returns the tracking state of this connection.',
  since: '6.2.0',
  arity: 2,
  args: [],
  run({ client, reply }) {
    const { tracking: state } = client.roles;
    reply.mapHeader(3);
    reply.text('flags');
    const flags = flagsOf(state);
    reply.setHeader(flags.length);
    for (const flag of flags) reply.text(flag);
    reply.text('redirect');
    reply.integer(state?.redirection ?? -1);
    reply.text('prefixes');
    const prefixes = state === undefined ? [] : [...state.prefixes].sort();
    reply.arrayHeader(prefixes.length);
    for (const prefix of prefixes) reply.text(prefix, 'latin1');
  },
});

function flagsOf(state: TrackingState | undefined): readonly string[] {
  if (state === undefined) return ['off'];
  const flags: readonly (readonly [isSet: boolean, flag: string])[] = [
    [true, 'on'],
    [state.broadcasts, 'bcast'],
    [state.optIn, 'optin'],
    [state.optIn && state.isCachingGiven, 'caching-yes'],
    [state.optOut, 'optout'],
    [state.optOut && state.isCachingGiven, 'caching-no'],
    [state.noLoop, 'noloop'],
    [state.isBroken, 'broken_redirect'],
  ];
  return flags.filter(([isSet]) => isSet).map(([, flag]) => flag);
}

const getRedirection = onMain({
  ...ofTracking,
  name: 'CLIENT|GETREDIR',
  summary: 'Returns the id of the connection that receives the invalidation messages of this one.',
  since: '6.0.0',
  arity: 2,
  args: [],
  run({ client, reply }) {
    reply.integer(client.roles.tracking?.redirection ?? -1);
  },
});

export const trackingCommands = [tracking, caching, trackingInfo, getRedirection];
