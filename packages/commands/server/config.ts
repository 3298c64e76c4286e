/** CONFIG and INFO: how the server is set up, and how it fares. */

import { errors } from '#base';
import { answerLater, answerOrError, writeOk } from '../contexts/answer-later.ts';
import { indexesFrom, type Arguments } from '../arguments/arguments.ts';
import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';
import type { ServerContext } from './ports/ports.ts';

const aboutSettings = {
  complexity: 'O(N) for N settings.',
  group: 'server',
  flags: ['admin', 'noscript', 'loading', 'stale'],
  keys: noKeys,
} as const satisfies Partial<CommandHead>;

const everyNode = ['request_policy:all_nodes', 'response_policy:all_succeeded'];

const get = onMain<ServerContext>({
  ...aboutSettings,
  name: 'CONFIG|GET',
  summary: 'Returns the settings whose names match any of the patterns.',
  since: '2.0.0',
  arity: -3,
  args: [{ name: 'parameter', type: 'string', multiple: true }],
  history: [['7.0.0', 'Accepts several patterns.']],
  run({ reply, settings }, args) {
    const pairs = settings.get(args.texts());
    reply.mapHeader(pairs.length);
    for (const pair of pairs) for (const text of pair) reply.text(text, 'latin1');
  },
});

const set = onMain<ServerContext>({
  ...aboutSettings,
  name: 'CONFIG|SET',
  summary: 'Changes settings at runtime: all of the named ones, or none.',
  since: '2.0.0',
  arity: -4,
  args: [
    {
      name: 'data',
      type: 'block',
      multiple: true,
      arguments: [
        { name: 'parameter', type: 'string' },
        { name: 'value', type: 'string' },
      ],
    },
  ],
  tips: everyNode,
  history: [['7.0.0', 'Accepts several settings.']],
  secret: secretValues,
  run(context, args) {
    const { settings, mayBlock, client } = context;
    if (args.count % 2 !== 0) throw errors.syntax;
    const texts = args.texts();
    const pairs: [name: string, value: string][] = [];
    for (let index = 0; index < texts.length; index += 2) {
      pairs.push([texts[index]!, texts[index + 1]!]);
    }
    const isSet = settings.set(pairs, mayBlock, client);
    answerOrError(
      context,
      Promise.resolve(isSet).then(() => settings.shown(mayBlock)),
      writeOk,
    );
  },
});

const resetstat = onMain<ServerContext>({
  ...aboutSettings,
  name: 'CONFIG|RESETSTAT',
  summary: 'Resets the counters of INFO to zero.',
  since: '2.0.0',
  complexity: 'O(1)',
  arity: 2,
  args: [],
  tips: everyNode,
  run(context) {
    answerLater(context, context.statistics.reset(), writeOk);
  },
});

const rewrite = onMain<ServerContext>({
  ...aboutSettings,
  name: 'CONFIG|REWRITE',
  summary: 'Writes the current settings to the configuration file.',
  since: '2.8.0',
  arity: 2,
  args: [],
  tips: everyNode,
  run({ reply, settings }) {
    settings.rewrite();
    reply.ok();
  },
});

const help = onMain<ServerContext>({
  ...aboutSettings,
  name: 'CONFIG|HELP',
  summary: 'Describes the subcommands.',
  since: '5.0.0',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  args: [],
  run({ reply }) {
    helpReply(reply, 'CONFIG', [
      ['GET <pattern> [<pattern> ...]', 'Returns names and values of the settings that match.'],
      [
        'SET <directive> <value> [<directive> <value> ...]',
        'Changes settings at runtime: all of them, or none.',
      ],
      ['RESETSTAT', 'Resets the counters of INFO to zero.'],
      ['REWRITE', 'Writes the current settings to the configuration file.'],
    ]);
  },
});

const config = container({
  name: 'CONFIG',
  summary: 'Container for commands about settings.',
  since: '2.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [get, help, resetstat, rewrite, set],
});

const info = onMain<ServerContext>({
  name: 'INFO',
  summary: 'Returns properties and statistics of the server, in sections.',
  since: '1.0.0',
  complexity: 'O(1)',
  group: 'server',
  arity: -1,
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [{ name: 'section', type: 'string', optional: true, multiple: true }],
  acl: { add: ['dangerous'] },
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
  history: [['7.0.0', 'Accepts several sections.']],
  run({ reply, info: report }, args) {
    reply.verbatim(report.render(args.texts().map((name) => name.toLowerCase())));
  },
});

export const serverSettings = [config, info];

/** Longest name of a setting that is looked up. */
const NAME_BYTES_MAX = 128;

/** Secrecy by all names that CONFIG knows, in lower case: true for a secret. */
// eslint-disable-next-line scratch/name -- Main sets it once, when it starts.
let secrecy: ReadonlyMap<string, boolean> = new Map();

/** Sets which settings are secrets; until then, all names and values of CONFIG SET are redacted. */
export function reportSecrecy(ofNames: ReadonlyMap<string, boolean>): void {
  secrecy = ofNames;
}

/**
 * Arguments to redact: values of secrets, pairs with an unknown name, and all arguments if names and values cannot be
 * distinguished.
 */
function secretValues(args: Arguments): readonly number[] {
  if (args.count % 2 !== 0) return indexesFrom(2, args.count);
  const secret: number[] = [];
  for (let index = 2; index < args.count; index += 2) {
    const isNone = args.length(index) > NAME_BYTES_MAX;
    const isSecret = isNone ? undefined : secrecy.get(args.latin1(index).toLowerCase());
    if (isSecret === undefined) secret.push(index, index + 1);
    else if (isSecret) secret.push(index + 1);
  }
  return secret;
}
