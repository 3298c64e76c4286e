/** Filters of CLIENT LIST and CLIENT KILL: those of Redis 7.4, and those of Valkey 8.1 and 9.0 with their negations. */

import { CommandError, errors } from '#base';
import type { Arguments } from '../arguments/arguments.ts';
import type { ClientPort } from '../contexts/contexts.ts';
import type { ArgumentDoc } from '../definition/definition.ts';
import { clientTypeOf, flagsOf, isOfType } from './client-report.ts';
import type { ConnectionContext } from './ports.ts';

type Test = (client: ClientPort) => boolean;
type FilterContext = Pick<ConnectionContext, 'authentication' | 'databaseCount' | 'nowMs'>;

/** Reads the value of a filter; `word` is its name, for errors. */
type Read = (args: Arguments, context: FilterContext, word: string) => Test;

const NEGATION = 'NOT-';
/** Letters of the field `flags`, in Redis and Valkey; some are never shown here. */
const FLAG_LETTERS = /^[OSMPxbtRBdcuAUreTIN]*$/;
/** Letters of capabilities; no client has one here. */
const CAPABILITY_LETTERS = /^r*$/;

/** Filters that have a negation. */
const FILTERS: Readonly<Record<string, Read>> = {
  TYPE: readType,
  USER: readUser,
  ADDR: (args) => equal(args.text(), ({ socket }) => socket.remoteAddress),
  LADDR: (args) => equal(args.text(), ({ socket }) => socket.localAddress),
  NAME: (args) => equal(args.text(), ({ session }) => session.name),
  'LIB-NAME': (args) => equal(args.text(), ({ session }) => session.libraryName),
  'LIB-VER': (args) => equal(args.text(), ({ session }) => session.libraryVersion),
  IP: (args) => equal(args.text(), ({ socket }) => ipOf(socket.remoteAddress)),
  FLAGS: readFlags,
  DB: readDatabase,
  CAPA: readCapabilities,
};

/** Filters by a least number of seconds, which have none. */
const SECONDS: Readonly<Record<string, (client: ClientPort) => number>> = {
  MAXAGE: ({ account }) => account.createdMs,
  IDLE: ({ account }) => account.lastCommandMs,
};

const WORDS: ReadonlySet<string> = new Set([
  ...['ID', 'NOT-ID', 'SKIPME', ...Object.keys(SECONDS)],
  ...Object.keys(FILTERS).flatMap((word) => [word, NEGATION + word]),
]);

/** Clients that a command is about. */
interface ClientFilter {
  /** Ids in the order in which they were given; undefined for all. */
  ids: number[] | undefined;
  skipsMe: boolean;
  /** The other conditions by their words: of two with the same word the last one counts. */
  readonly tests: Map<string, Test>;
}

/** Rules that differ between the two commands. */
interface FilterRules {
  /** Default of SKIPME. */
  readonly skipsMe: boolean;
  readonly badId: CommandError;
  /** Error of a word behind an id that is neither an id nor a filter. */
  readonly badLaterId: CommandError;
  readonly leastId: number;
}

/** Reads filters up to the end of a command. */
export function readFilters(
  args: Arguments,
  context: FilterContext,
  rules: FilterRules,
): ClientFilter {
  const filter: ClientFilter = { ids: undefined, skipsMe: rules.skipsMe, tests: new Map() };
  while (args.more) {
    if (args.left === 1) throw errors.syntax;
    const word = args.latin1(args.next()).toUpperCase();
    if (word === 'ID') (filter.ids ??= []).push(...readIds(args, rules));
    else if (word === 'SKIPME') filter.skipsMe = readYesOrNo(args);
    else filter.tests.set(word, readTest(args, context, rules, word));
  }
  return filter;
}

function readTest(args: Arguments, context: FilterContext, rules: FilterRules, word: string): Test {
  if (word === 'NOT-ID') {
    const ids = new Set(readIds(args, rules));
    return ({ id }) => !ids.has(id);
  }
  const since = SECONDS[word];
  if (since !== undefined) return atLeast(args, context, word.toLowerCase(), since);
  const isNegated = word.startsWith(NEGATION);
  const read = FILTERS[isNegated ? word.slice(NEGATION.length) : word];
  if (read === undefined) throw errors.syntax;
  const test = read(args, context, word);
  return isNegated ? (client) => !test(client) : test;
}

/** The clients that a filter is about, in the order of its ids if it has any. */
export function filtered(
  { clients, client: me }: Pick<ConnectionContext, 'clients' | 'client'>,
  { ids, skipsMe, tests }: ClientFilter,
): readonly ClientPort[] {
  const candidates =
    ids?.map((id) => clients.byId(id)).filter((client) => client !== undefined) ?? clients.all();
  const conditions = [...tests.values()];
  return candidates.filter(
    (client) => !(skipsMe && client === me) && conditions.every((test) => test(client)),
  );
}

/** Reads ids up to the next filter. */
function readIds(args: Arguments, { badId, badLaterId, leastId }: FilterRules): number[] {
  const ids: number[] = [];
  while (args.more && !WORDS.has(args.latin1(args.position).toUpperCase())) {
    const id = args.roundedAt(args.next(), ids.length === 0 ? badId : badLaterId);
    if (id < leastId) throw badId;
    ids.push(id);
  }
  if (ids.length === 0) throw errors.syntax;
  return ids;
}

function equal(wanted: string, of: (client: ClientPort) => string | undefined): Test {
  return (client) => of(client) === wanted;
}

function atLeast(
  args: Arguments,
  { nowMs }: FilterContext,
  name: string,
  since: (client: ClientPort) => number,
): Test {
  const seconds = args.roundedAt(
    args.next(),
    new CommandError(`ERR ${name} is not an integer or out of range`),
  );
  if (seconds <= 0) throw new CommandError(`ERR ${name} should be greater than 0`);
  return (client) => Math.floor((nowMs - since(client)) / 1_000) >= seconds;
}

function readType(args: Arguments): Test {
  const name = args.text();
  const type = clientTypeOf(name);
  if (type === undefined) throw new CommandError(`ERR Unknown client type '${name}'`);
  return (client) => isOfType(client, type);
}

function readUser(args: Arguments, { authentication }: FilterContext): Test {
  const name = args.text();
  if (!authentication.isUser(name)) throw new CommandError(`ERR No such user '${name}'`);
  return equal(name, ({ session }) => session.user);
}

function readFlags(args: Arguments, _context: FilterContext, word: string): Test {
  const letters = lettersOf(args, FLAG_LETTERS, `flags found in the ${filterName(word)} filter`);
  return (client) => {
    const flags = flagsOf(client);
    return Array.from(letters).every((letter) => flags.includes(letter));
  };
}

function readCapabilities(args: Arguments, _context: FilterContext, word: string): Test {
  const letters = lettersOf(
    args,
    CAPABILITY_LETTERS,
    `capa found in the ${filterName(word)} filter`,
  );
  return () => letters === '';
}

function lettersOf(args: Arguments, known: RegExp, unknown: string): string {
  const letters = args.text();
  if (!known.test(letters)) throw new CommandError(`ERR Unknown ${unknown}: ${letters}`);
  return letters;
}

/** A filter in errors about its letters. */
function filterName(word: string): string {
  return word.startsWith(NEGATION) ? word : 'provided';
}

function readDatabase(args: Arguments, { databaseCount }: FilterContext, word: string): Test {
  const notInteger = new CommandError(`ERR ${word} is not an integer or out of range`);
  const database = args.integer(notInteger);
  if (database < 0 || database >= databaseCount) {
    throw new CommandError(`ERR ${word} number should be between 0 and ${databaseCount - 1}`);
  }
  return ({ session }) => session.database === database;
}

/** The IP address of `ip:port` or `[ip]:port`; undefined for a Unix socket, which has port 0. */
function ipOf(address: string): string | undefined {
  const colon = address.lastIndexOf(':');
  if (address.slice(colon + 1) === '0') return undefined;
  return address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
}

function readYesOrNo(args: Arguments): boolean {
  if (args.takes('YES')) return true;
  if (args.takes('NO')) return false;
  throw errors.syntax;
}

/** Filters that Valkey added, for COMMAND DOCS. */
export const newerFilters: readonly ArgumentDoc[] = [
  newer('name', 'NAME', 'string', '8.1.0'),
  newer('idle', 'IDLE', 'integer', '8.1.0'),
  newer('flags', 'FLAGS', 'string', '8.1.0'),
  newer('lib-name', 'LIB-NAME', 'string', '8.1.0'),
  newer('lib-ver', 'LIB-VER', 'string', '8.1.0'),
  newer('db', 'DB', 'integer', '8.1.0'),
  newer('capa', 'CAPA', 'string', '8.1.0'),
  newer('ip', 'IP', 'string', '8.1.0'),
  { ...newer('not-client-id', 'NOT-ID', 'integer', '9.0.0'), multiple: true },
  ...['type', 'user', 'addr', 'laddr', 'name', 'flags', 'lib-name', 'lib-ver', 'capa', 'ip'].map(
    (name) => newer(`not-${name}`, `NOT-${name.toUpperCase()}`, 'string', '9.0.0'),
  ),
  newer('not-db', 'NOT-DB', 'integer', '9.0.0'),
];

function newer(
  name: string,
  token: string,
  type: 'string' | 'integer',
  since: string,
): ArgumentDoc {
  return { name, type, token, optional: true, since };
}
