/** Subcommands of the program beside the server: one table for reading them, `--help`, completion and the manual page. */

import { parseArgs } from 'node:util';
import type { OptionRow } from './server-options.ts';

/** One subcommand. */
interface Subcommand {
  /** Words after the program's name. */
  readonly name: string;
  /** One sentence without its full stop. */
  readonly summary: string;
  /** Arguments that are no options, in the order of the command line; `A|B` allows these words only. */
  readonly operands: readonly string[];
  readonly options: readonly OptionRow[];
  /** Further lines of its help. */
  readonly notes: readonly string[];
  /** True if it takes the options of the server as well. */
  readonly takesServerOptions?: true;
}

const HELP: OptionRow = { name: 'help', help: 'prints this help, and exits' };

const TLS: readonly OptionRow[] = [
  { name: 'tls', help: 'connects with TLS' },
  {
    name: 'cacert',
    value: 'FILE',
    help: 'certificate authorities (default: those of the system)',
  },
  { name: 'cert', value: 'FILE', help: 'certificate of this client' },
  { name: 'key', value: 'FILE', help: 'key of this client' },
];

const LOGIN: readonly OptionRow[] = [
  { name: 'user', value: 'NAME', help: 'user to log in as' },
  { name: 'password-file', value: 'FILE', help: 'file with the password' },
  {
    name: 'password',
    value: 'PASSWORD',
    help: 'password, which other users of this machine can see (default: that of REDISCLI_AUTH)',
    variable: 'REDISCLI_AUTH',
  },
];

const JSON_OUTPUT: OptionRow = { name: 'json', help: 'prints JSON' };

const ADDRESS: OptionRow = {
  name: 'address',
  value: 'HOST:PORT',
  help: 'address of the server for clients (default: 127.0.0.1:6379)',
  default: '127.0.0.1:6379',
};

const BENCH_PLACE: readonly OptionRow[] = [
  ADDRESS,
  { name: 'unix-socket', value: 'PATH', help: 'unix socket of the server, in place of --address' },
  ...LOGIN,
  ...TLS,
  { name: 'sni', value: 'NAME', help: 'name that the certificate of the server must have' },
  { name: 'insecure', help: 'accepts any certificate of the server' },
  { name: 'cluster', help: 'sends each command to the node of its key, and follows MOVED and ASK' },
  {
    name: 'metrics',
    value: 'HOST:PORT',
    help: 'HTTP address of svc at --address: adds waits in queues and execution times of the load',
  },
  { name: 'token-file', value: 'FILE', help: 'file with the token for --metrics (http.token)' },
  { name: 'resp', value: 'N', help: 'version of the protocol, 2 or 3 (default: 2)', default: '2' },
];

const BENCH_LOAD: readonly OptionRow[] = [
  {
    name: 'rate',
    value: 'N',
    help: 'sends N commands per second, and counts latency from when each was due (open loop); by default each reply causes the next commands (closed loop)',
  },
  {
    name: 'duration',
    value: 'SECONDS',
    help: 'seconds to measure (default: 10 without --requests)',
  },
  { name: 'requests', value: 'N', help: 'number of commands to measure' },
  {
    name: 'warmup',
    value: 'SECONDS',
    help: 'seconds of load before, which are not counted (default: 0)',
    default: '0',
  },
  {
    name: 'connections',
    value: 'N',
    help: 'number of connections, in a cluster to each node (default: 50)',
    default: '50',
  },
  { name: 'threads', value: 'N', help: 'threads of the generator (default: 1)', default: '1' },
  {
    name: 'pipeline',
    value: 'N',
    help: 'commands that a connection has under way (default: 1)',
    default: '1',
  },
];

const BENCH_REQUESTS: readonly OptionRow[] = [
  {
    name: 'mix',
    value: 'LIST',
    help: 'commands with weights, such as get:80,set:15,del:5 (default: get:90,set:10 without --command)',
  },
  {
    name: 'command',
    value: '[WEIGHT:]TEMPLATE',
    help: 'a command with placeholders, such as "SET key:{key} {value}"; may be repeated',
    isList: true,
  },
  { name: 'keys', value: 'N', help: 'number of keys (default: 100000)', default: '100000' },
  { name: 'zipf', value: 'S', help: "draws keys by Zipf's law with this exponent, such as 0.99" },
  {
    name: 'sequential',
    help: 'takes keys one after the other; without it and --zipf all are equally likely',
  },
  { name: 'prefix', value: 'TEXT', help: 'beginning of all keys' },
  {
    name: 'value-size',
    value: 'SIZES',
    help: 'bytes of values: 64, 16-1024, or both with weights, as in 64:90,4096-8192:10 (default: 64)',
    default: '64',
  },
  {
    name: 'elements',
    value: 'N',
    help: 'elements of a hash, list, set, sorted set or stream entry (default: 10)',
    default: '10',
  },
  { name: 'preload', help: 'fills the keys of --mix before' },
  { name: 'seed', value: 'N', help: 'seed of all random choices (default: 1)', default: '1' },
];

const BENCH_OUTPUT: readonly OptionRow[] = [
  {
    name: 'compare',
    value: 'HOST:PORT',
    help: 'measures this server too, by turns, and prints ratios',
  },
  { name: 'rounds', value: 'N', help: 'rounds of --compare (default: 3)' },
  { name: 'json', value: 'FILE', help: 'writes all results as JSON; - is standard output' },
  { name: 'csv', value: 'FILE', help: 'writes the results of each second as CSV' },
  { name: 'html', value: 'FILE', help: 'writes a page with plots, which needs no other file' },
];

/** In the order of `--help`. */
const subcommands = {
  probe: {
    summary: 'Asks the server that runs here with the same settings whether it is ready',
    operands: [],
    options: [],
    notes: ['Exits with 0 if the server is ready, otherwise with 1.'],
    takesServerOptions: true,
  },
  doctor: {
    summary: 'Reports the health of a server, what limits it and what is slow',
    operands: [],
    options: [ADDRESS, ...LOGIN, ...TLS, JSON_OUTPUT, HELP],
    notes: [
      'Exits with 0 if the server is healthy, 1 if it is degraded or unhealthy, and 2 if it cannot be asked.',
    ],
  },
  top: {
    summary:
      'Shows shards, commands, clients and hot keys of a server in a terminal, again each second',
    operands: [],
    options: [
      ADDRESS,
      ...LOGIN,
      ...TLS,
      { name: 'once', help: 'prints one frame, as it does without a terminal' },
      { ...JSON_OUTPUT, help: 'prints one frame as JSON' },
      HELP,
    ],
    notes: [
      'Keys: 1-4 or tab choose the view, s the column to sort by, p pauses, + and - change the interval, q quits.',
      'Exits with 0, and with 2 if the server cannot be asked.',
    ],
  },
  runbook: {
    summary: 'Prints what a health code or an alert means, where to look and what to do',
    operands: ['NAME|list'],
    options: [HELP],
    notes: ['For example: svc-server runbook SHARD_STUCK'],
  },
  bench: {
    summary: 'Measures any server of the protocol of Redis under a load',
    operands: [],
    options: [...BENCH_PLACE, ...BENCH_LOAD, ...BENCH_REQUESTS, ...BENCH_OUTPUT, HELP],
    notes: [
      'Exits with 0 if all commands were answered without errors, 1 if there were error replies or lost connections,',
      'and 2 if nothing could be measured. Ctrl-C ends the load, and what was measured is printed.',
      'Placeholders of --command: {key}, {value}, {element}, {random}, {prefix}; {{tag}} is the text {tag}.',
    ],
  },
  'bundle inspect': {
    summary: 'Summarises a diagnostic bundle, or the bundles of a cluster in one archive',
    operands: ['FILE'],
    options: [JSON_OUTPUT, HELP],
    notes: ['Nothing is sent or changed. Checksums of all files in the bundle are verified.'],
  },
  backup: {
    summary:
      'Copies the data folder of a server that runs or is stopped into a new folder, verified',
    operands: [],
    options: [
      { name: 'output', value: 'FOLDER', help: 'folder of the backup, which must not be there' },
      HELP,
    ],
    notes: [
      'The data folder is that of the settings: --data-dir, or persistence.data-dir of --config. It is not changed.',
      'Exits with 0 if the backup is complete and verified; otherwise nothing of it is kept.',
    ],
    takesServerOptions: true,
  },
  restore: {
    summary: 'Restores a backup, at any time that it has, into a data folder without data',
    operands: [],
    options: [
      { name: 'from', value: 'FOLDER', help: 'folder of the backup, which is not changed' },
      {
        name: 'to-time',
        value: 'TIME',
        help: 'time to restore: 2026-11-29T03:00:00Z, or Unix seconds or milliseconds (default: the newest)',
      },
      { name: 'dry-run', help: 'verifies and reads the backup, and writes nothing' },
      HELP,
    ],
    notes: [
      'The data folder is that of the settings: --data-dir, or persistence.data-dir of --config.',
      'All changes that were made up to the time are restored, and none after it.',
    ],
    takesServerOptions: true,
  },
  'cluster rebalance': {
    summary: 'Plans moves of slots between the nodes of a cluster, prints the plan, and runs it',
    operands: [],
    options: [
      { name: 'dry-run', help: 'prints the plan without moving slots' },
      {
        name: 'by',
        value: 'MEASURE',
        help: 'measure that is balanced over the nodes: keys, memory or load (default: keys)',
        default: 'keys',
      },
      {
        name: 'host',
        value: 'HOST',
        help: 'any node of the cluster (default: 127.0.0.1)',
        default: '127.0.0.1',
      },
      { name: 'port', value: 'N', help: 'its port for clients (default: 6379)', default: '6379' },
      ...LOGIN,
      ...TLS,
      HELP,
    ],
    notes: [],
  },
  'cluster bundle': {
    summary: 'Collects the diagnostic bundles of all nodes of a cluster in one archive',
    operands: [],
    options: [
      {
        name: 'address',
        value: 'HOST:PORT',
        help: 'HTTP address of any node of the cluster (default: 127.0.0.1:9090)',
        default: '127.0.0.1:9090',
      },
      {
        name: 'coordinator',
        value: 'LIST',
        help: 'reads the nodes from etcd instead: endpoints, separated by commas',
      },
      {
        name: 'name',
        value: 'NAME',
        help: 'name of the cluster in etcd (default: svc)',
        default: 'svc',
      },
      { name: 'coordinator-user', value: 'NAME', help: 'user for etcd' },
      {
        name: 'coordinator-password-file',
        value: 'FILE',
        help: 'file with the password for etcd',
      },
      {
        name: 'output',
        value: 'FILE',
        help: 'archive to write (default: svc-cluster-bundle-<time>.tar)',
      },
      {
        name: 'token-file',
        value: 'FILE',
        help: 'file with the token of the nodes (http.token)',
      },
      ...TLS,
      HELP,
    ],
    notes: [
      'The archive has nodes/<id>.tar.gz for each node that returned its bundle, nodes.json with the requests to each node,',
      'and errors.txt if a node returned none; the exit code is 1 then.',
    ],
  },
  completion: {
    summary: 'Prints the completion script of a shell',
    operands: ['bash|zsh|fish'],
    options: [HELP],
    notes: ['For bash: source <(svc-server completion bash)'],
  },
  man: {
    summary: 'Prints the manual page of the program with all settings, in roff',
    operands: [],
    options: [HELP],
    notes: ['To read it: svc-server man | man -l -'],
  },
} as const satisfies Readonly<Record<string, Omit<Subcommand, 'name'>>>;

export type SubcommandName = keyof typeof subcommands;

export const subcommandNames = Object.keys(subcommands) as readonly SubcommandName[];

/** Returns a row of the table with its name. */
export function subcommand(name: SubcommandName): Subcommand {
  return { name, ...subcommands[name] };
}

/** Subcommand at the beginning of a command line, and the arguments after it. */
export interface FoundSubcommand {
  readonly name: SubcommandName;
  readonly args: readonly string[];
}

/** First words that have more than one subcommand, or one of two words. */
const groups = new Set(
  subcommandNames.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!),
);

/** Returns the subcommand of a command line; undefined if its first word is none. */
export function findSubcommand(args: readonly string[]): FoundSubcommand | undefined {
  const [first = '', second = ''] = args;
  const name = subcommandNames.find((each) => each === first || each === `${first} ${second}`);
  return name === undefined ? undefined : { name, args: args.slice(name.split(' ').length) };
}

/** Returns the names of the subcommands that begin with a word, when the word alone is none. */
export function groupOf(word: string): readonly SubcommandName[] {
  if (!groups.has(word)) return [];
  return subcommandNames.filter((name) => name.startsWith(`${word} `));
}

/** Arguments of a subcommand as its row describes them. */
interface SubcommandArguments {
  /** Value of an option; that of its variable, its default, or empty, if it is not given. */
  text(option: string): string;
  /** Values of an option that may be repeated. */
  texts(option: string): readonly string[];
  /** True if an option without a value is given. */
  has(option: string): boolean;
  readonly operands: readonly string[];
}

/**
 * Splits the arguments of a subcommand that takes the options of the server: its own options with their values, and the
 * rest.
 */
export function splitArguments(
  name: SubcommandName,
  args: readonly string[],
): { readonly own: readonly string[]; readonly server: readonly string[] } {
  const own: string[] = [];
  const server: string[] = [];
  const rows = new Map(subcommand(name).options.map((row) => [`--${row.name}`, row]));
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    const [option = ''] = arg.split('=', 1);
    const row = rows.get(option);
    if (row === undefined) {
      server.push(arg);
      continue;
    }
    own.push(arg);
    if (row.value === undefined || arg !== option || index + 1 === args.length) continue;
    index += 1;
    own.push(args[index]!);
  }
  return { own, server };
}

/** Reads the arguments of a subcommand; throws an Error that names the mistake and `--help`. */
export function readSubcommand(
  name: SubcommandName,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): SubcommandArguments {
  const row = subcommand(name);
  const fail = (reason: string): never => {
    throw new Error(`${reason}; svc-server ${name} --help lists the options`);
  };
  const options = Object.fromEntries(
    row.options.map(({ name: option, value, isList }) => [
      option,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: isList === true,
      },
    ]),
  );
  const { values, positionals } = parsed({ args: [...args], options }, fail);
  const wanted = row.operands.length;
  if (positionals.length > wanted) fail('an argument belongs to no option');
  if (positionals.length < wanted) fail(`${row.operands[positionals.length]!} is missing`);
  const defaults = new Map(
    row.options.map((option) => {
      const set = option.variable === undefined ? undefined : environment[option.variable];
      return [option.name, set ?? option.default ?? ''];
    }),
  );
  return {
    texts: (option) => [values[option] ?? []].flat().map(String),
    text: (option) => String(values[option] ?? defaults.get(option) ?? ''),
    has: (option) => values[option] === true,
    operands: positionals,
  };
}

interface ParseInput {
  readonly args: string[];
  readonly options: Record<string, { type: 'boolean' | 'string'; multiple: boolean }>;
}

function parsed(input: ParseInput, fail: (reason: string) => never) {
  try {
    return parseArgs({ ...input, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's own message has a hint about dashes after the first sentence.
    return fail((error as Error).message.split('. ')[0]!);
  }
}
