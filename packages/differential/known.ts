/**
 * Known differences: between versions of Redis, and from every Redis by decision.
 *
 * No other difference is accepted. A command whose difference changes the data is never sent, since all that follows
 * would differ too; a difference that shows only in a reply is passed over.
 */
import type { CommandDetails } from './command-facts.ts';
import type { Words } from './family.ts';
import { COMMANDS, CONTAINERS, SUBCOMMANDS } from './families/command-names.ts';
import { parseReply, type Piece } from './wire.ts';

/** A version as one number: 7.4.1 is 70401. */
type Version = number;

interface Known {
  readonly what: string;
  /** It holds for versions before this one; for every version when left out. */
  readonly before?: Version;
  /** Commands that are not sent. */
  avoids?(words: Words, details: CommandDetails): boolean;
  /** Replies that are passed over. */
  excuses?(words: Words, ours: string, theirs: string): boolean;
}

const SEVEN_FOUR: Version = 70_400;
const SEVEN_TWO: Version = 70_200;

const FIELD_EXPIRY = /^HP?(EXPIRE(AT|TIME)?|TTL|ERSIST)$/i;
const KEY_EXPIRY_AT = /^(P?EXPIRE(AT)?|SETEX|PSETEX|SET|GETEX|RESTORE)$/i;

const NAMES: ReadonlySet<string> = new Set([...COMMANDS, ...CONTAINERS, ...SUBCOMMANDS]);

const SCRIPTS = /^(EVAL|FCALL|FUNCTION|SCRIPT)/i;

/** Every known difference; configs/reference/differences-from-redis.md has the reasons of those without a version. */
const differences: readonly Known[] = [
  {
    what: 'fields of hashes expire since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '']) => FIELD_EXPIRY.test(name),
  },
  {
    what: 'small lists and small sets of texts are listpacks since 7.2',
    before: SEVEN_TWO,
    avoids: ([name = '', , setting = '']) =>
      is(name, 'CONFIG') && setting.startsWith('set-max-listpack'),
    excuses: ([name = '', part = ''], ours, theirs) =>
      is(name, 'OBJECT') &&
      is(part, 'ENCODING') &&
      /listpack|quicklist|hashtable/.test(ours + theirs),
  },
  {
    what: 'payloads of DUMP have version 12 since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '']) => is(name, 'DUMP') || is(name, 'RESTORE'),
  },
  {
    what: 'HSCAN knows NOVALUES since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '', ...words]) =>
      is(name, 'HSCAN') && words.some((word) => is(word, 'NOVALUES')),
  },
  {
    what: 'an empty cursor of a scan is none since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '', ...words]) => /SCAN$/i.test(name) && words.slice(0, 2).includes(''),
  },
  {
    what: 'BITCOUNT and BITPOS judge their arguments before they look for the key since 7.4',
    before: SEVEN_FOUR,
    excuses: ([name = ''], ours) => /^BIT(COUNT|POS)$/i.test(name) && ours.startsWith('-'),
  },
  {
    what: 'the least of all counts is out of range for LREM since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '', , count = '']) => is(name, 'LREM') && count === '-9223372036854775808',
  },
  {
    what: 'ranks are answered with scores since 7.2',
    before: SEVEN_TWO,
    avoids: ([name = '', ...words]) => /^Z(REV)?RANK$/i.test(name) && words.length !== 2,
  },
  {
    what: 'a negative offset of LIMIT depends on the encoding before 7.2',
    before: SEVEN_TWO,
    avoids: ([name = '', ...words]) =>
      /^Z(REV)?RANGE/i.test(name) &&
      words.some((word, index) => is(word, 'LIMIT') && !(Number(words[index + 1]) >= 0)),
  },
  {
    what: 'doubles have the shortest digits since 7.2',
    before: SEVEN_TWO,
    excuses: (_, ours, theirs) => isSameInNumbers(parseReply(ours), parseReply(theirs)),
  },
  {
    what: 'XREAD knows + since 7.4',
    before: SEVEN_FOUR,
    avoids: ([name = '', ...words]) => /^XREAD/i.test(name) && words.includes('+'),
  },
  {
    what: 'errors about streams have other texts since 7.2',
    before: SEVEN_TWO,
    excuses: ([name = ''], ours, theirs) =>
      /^X/i.test(name) && ours.startsWith('-') && theirs.startsWith('-'),
  },
  {
    what: 'asking for entries makes a consumer even when there are none since 7.2',
    before: SEVEN_TWO,
    excuses: ([name = '', part = '']) => is(name, 'XGROUP') && is(part, 'CREATECONSUMER'),
  },
  {
    what: 'scripts may call commands that wait since 7.2, see other encodings, and give commands the shortest digits',
    before: SEVEN_TWO,
    avoids: ([name = '', ...words]) =>
      SCRIPTS.test(name) &&
      words.some((word) => /BLPOP|ENCODING|\d\.\d|\de[-\d]|2\^|1\/3|\d{16}/.test(word)),
  },
  {
    what: 'counters of streams are rounded beyond 53 bits',
    avoids: ([name = '', ...words]) =>
      /^X(GROUP|SETID)$/i.test(name) &&
      words.some(
        (word, index) =>
          /^ENTRIES(READ|ADDED)$/i.test(word) && Math.abs(Number(words[index + 1])) >= 2 ** 53,
      ),
  },
  {
    what: 'XSETID heeds the greatest deleted id since 7.2',
    before: SEVEN_TWO,
    avoids: ([name = '']) => is(name, 'XSETID'),
  },
  {
    what: 'the servers run a command some milliseconds apart',
    avoids: ([name = '', , , , idle = '']) =>
      /^X(AUTO)?CLAIM$/i.test(name) && Number(idle) > 0 && Number(idle) < 1e6,
  },
  {
    what: 'XAUTOCLAIM with a huge COUNT takes no memory for it',
    avoids: ([name = '', ...words]) =>
      is(name, 'XAUTOCLAIM') && words.some((word) => Number(word) >= 2 ** 30),
  },
  {
    what: 'XINFO returns more since 7.2, and counts the lag differently',
    before: SEVEN_TWO,
    avoids: ([name = '']) => is(name, 'XINFO'),
  },
  {
    what: 'expiry times are exact up to 2^53 ms only',
    avoids: ([name = '', ...words]) => KEY_EXPIRY_AT.test(name) && words.some(isBeyondExpiry),
  },
  {
    what: 'SORT compares texts whole, not up to a zero byte',
    excuses: ([name = ''], ours) => /^SORT(_RO)?$/i.test(name) && ours.includes('\0'),
  },
  {
    what: 'SORT ... ALPHA leaves the order of elements with equal texts open',
    avoids: ([name = '', ...words]) =>
      /^SORT(_RO)?$/i.test(name) &&
      words.some((word) => is(word, 'ALPHA')) &&
      words.some((word) => /^(BY|GET|LIMIT)$/i.test(word)),
  },
  {
    what: 'the members of a set that is not sorted are in any order',
    avoids: ([name = '', ...words]) =>
      /^SORT(_RO)?$/i.test(name) &&
      words.some((word, index) => is(word, 'BY') && words[index + 1]?.includes('*') === false),
  },
  {
    what: 'LSET with an index beyond 32 bits is out of range',
    avoids: ([name = '', , index = '']) => is(name, 'LSET') && Math.abs(Number(index)) >= 2 ** 31,
  },
  {
    what: 'rules may name commands that a Redis does not have; trial runs are of commands that both have',
    avoids: (words, details) =>
      (isSetUser(words) && words.slice(3).some((word) => namesUnknown(word, details))) ||
      (isDryRun(words) && !details.agreeOn(details.nameOf(words.slice(3)))),
  },
  {
    what: 'MONITOR has options of its own',
    avoids: (words) => isDryRun(words) && is(words[3] ?? '', 'MONITOR'),
  },
  {
    what: 'a rule that takes a password away is not shown',
    excuses: (words, ours, theirs) =>
      isSetUser(words) && ours === theirs.replace(/modifier '<.*': /s, "modifier '<(redacted)': "),
  },
  {
    what: 'PFMERGE of a key alone makes it, and needs the right to',
    avoids: (words) => isDryRun(words) && is(words[3] ?? '', 'PFMERGE') && words.length === 5,
  },
  {
    what: 'of several STORE of GEORADIUS, the right to the key is judged that is written',
    avoids: (words) =>
      isDryRun(words) &&
      /^GEORADIUS/i.test(words[3] ?? '') &&
      words.slice(4).filter((word) => /^STORE(DIST)?$/i.test(word)).length > 1,
  },
  {
    what: 'patterns to listen to are compared whole with those of rules, not up to a zero byte',
    avoids: (words) =>
      isDryRun(words) &&
      is(words[3] ?? '', 'PSUBSCRIBE') &&
      words.slice(4).some((word) => word.includes('\0')),
  },
  {
    what: 'a number of keys that is no number names none, and the command fails',
    avoids: (words) =>
      isDryRun(words) && words.slice(2).some((word) => /^\s*\d+\D|^\d{10}/.test(word)),
  },
  {
    what: 'denials name the user since 7.2, and keys whole',
    before: SEVEN_TWO,
    excuses: (words, ours, theirs) =>
      isDryRun(words) &&
      parseReply(ours)
        .text.replace(`User ${words[2] ?? ''}`, 'This user')
        .replace(/\0[^']*/, '') === parseReply(theirs).text,
  },
  {
    what: 'a selector that begins within another took its place before 7.2',
    before: SEVEN_TWO,
    avoids: (words) => isSetUser(words) && beginsWithinAnother(words.slice(3)),
  },
  {
    what: 'rules of commands are written differently before 7.2',
    before: SEVEN_TWO,
    excuses: ([name = '', part = '']) => is(name, 'ACL') && /^(LIST|GETUSER)$/i.test(part),
  },
];

/** The known differences from one version of Redis. */
export class KnownDifferences {
  readonly #known: readonly Known[];
  readonly #details: CommandDetails;

  constructor(version: Version, details: CommandDetails) {
    this.#details = details;
    this.#known = differences.filter(({ before = Infinity }) => version < before);
  }

  /** True when a command is never sent. */
  avoids(words: Words): boolean {
    return this.#known.some((known) => known.avoids?.(words, this.#details) === true);
  }

  /** True when these replies to a command may differ. */
  excuses(words: Words, ours: string, theirs: string): boolean {
    return this.#known.some((known) => known.excuses?.(words, ours, theirs) === true);
  }
}

/** Returns the version in INFO. */
export function versionOf(info: string): Version {
  const [, major, minor, patch] = /redis_version:(\d+)\.(\d+)\.(\d+)/.exec(info) ?? [];
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch);
}

function is(word: string, name: string): boolean {
  return word.toUpperCase() === name;
}

function isBeyondExpiry(word: string): boolean {
  return /^[+-]?\d+$/.test(word) && Math.abs(Number(word)) >= 2 ** 53 / 1000;
}

function isDryRun([name = '', part = '']: Words): boolean {
  return is(name, 'ACL') && is(part, 'DRYRUN');
}

function isSetUser([name = '', part = '']: Words): boolean {
  return is(name, 'ACL') && is(part, 'SETUSER');
}

/** True when a rule, or a rule in a selector, is about a command that is not there, though it is in later versions. */
function namesUnknown(word: string, details: CommandDetails): boolean {
  return word
    .replaceAll(/["']/g, '')
    .split(/[\s()]+/)
    .map((rule) => rule.slice(1).toLowerCase())
    .flatMap((name) => [name, name.slice(0, Math.max(0, name.lastIndexOf('|')))])
    .some((name) => NAMES.has(name) && details.lacks(name));
}

function beginsWithinAnother(words: Words): boolean {
  let isOpen = false;
  for (const word of words) {
    if (isOpen && word.startsWith('(')) return true;
    isOpen = (isOpen || word.startsWith('(')) && !word.endsWith(')');
  }
  return false;
}

/** True when two replies are the same but for the digits of their numbers. */
function isSameInNumbers(ours: Piece, theirs: Piece): boolean {
  if (ours.kind !== theirs.kind) return false;
  if (ours.items === undefined || theirs.items === undefined) {
    return ours.text === theirs.text || Number(ours.text) === Number(theirs.text);
  }
  const others = theirs.items;
  return (
    ours.items.length === others.length &&
    ours.items.every((item, index) => isSameInNumbers(item, others[index]!))
  );
}
