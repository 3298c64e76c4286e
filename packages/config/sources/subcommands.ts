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
];

const JSON_OUTPUT: OptionRow = { name: 'json', help: 'prints JSON' };

const ADDRESS: OptionRow = {
  name: 'address',
  value: 'HOST:PORT',
  help: 'address of the server for clients (default: 127.0.0.1:6379)',
  default: '127.0.0.1:6379',
};

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
  /** Value of an option; its default, or empty, if it is not given. */
  text(option: string): string;
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
export function readSubcommand(name: SubcommandName, args: readonly string[]): SubcommandArguments {
  const row = subcommand(name);
  const fail = (reason: string): never => {
    throw new Error(`${reason}; svc-server ${name} --help lists the options`);
  };
  const options = Object.fromEntries(
    row.options.map(({ name: option, value }) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { values, positionals } = parsed({ args: [...args], options }, fail);
  const wanted = row.operands.length;
  if (positionals.length > wanted) fail('an argument belongs to no option');
  if (positionals.length < wanted) fail(`${row.operands[positionals.length]!} is missing`);
  const defaults = new Map(row.options.map((option) => [option.name, option.default ?? '']));
  return {
    text: (option) => String(values[option] ?? defaults.get(option) ?? ''),
    has: (option) => values[option] === true,
    operands: positionals,
  };
}

interface ParseInput {
  readonly args: string[];
  readonly options: Record<string, { type: 'boolean' | 'string' }>;
}

function parsed(input: ParseInput, fail: (reason: string) => never) {
  try {
    return parseArgs({ ...input, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's own message has a hint about dashes after the first sentence.
    return fail((error as Error).message.split('. ')[0]!);
  }
}
