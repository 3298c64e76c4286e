/** Users: rules one after the other, what is shown of them, and what they may do by ACL DRYRUN. */
import type { Draw } from '../draw.ts';
import { step, type Family, type Step, type Words } from '../family.ts';
import { CATEGORIES, COMMANDS, CONTAINERS, SUBCOMMANDS, wordsOf } from './command-names.ts';

const USERS = ['u1', 'u2', 'U1'];
const PASSWORDS = ['p1', 'p2', '', 'P1', 'a\x00b', '\xff'];
/** SHA-256 of `p1`, one of nothing known, and three that are malformed. */
const HASHES = [
  'f64551fcd6f07823cb87971cfb91446425da18286b3ab1ef935e0cbd7a69f68a',
  '0'.repeat(64),
  'A'.repeat(64),
  '0'.repeat(63),
  'g'.repeat(64),
];
const GLOBS = [
  ...[
    'a*',
    'b*',
    'a',
    '*',
    'ab',
    '?',
    'a?',
    '[ab]*',
    '[^a]*',
    '\\*',
    '',
    'k:*',
    'k:?',
    '*b',
    '*a*b*',
  ],
  ...[
    '**',
    'x y',
    '[a',
    'a\\',
    'aB*',
    'a\x00',
    '\xff*',
    'K:*',
    '1',
    '*1',
    "'",
    '"',
    'a"b',
    '(a)',
    '%',
  ],
];
const NAMES = [
  ...[
    'a',
    'b',
    'ab',
    'aa',
    'k:1',
    'k:12',
    'x',
    '',
    'A',
    'aB',
    '1',
    '2',
    '*',
    'a*',
    '\xff',
    'a\x00b',
  ],
  ...['0', '-1', '10', 'b1', '{a}b', '(a)', 'b*', 'ch', '[ab]*'],
];
const OPTIONS = wordsOf(`
  GET STORE STOREDIST BY LIMIT KEYS STREAMS COUNT REPLACE AUTH AUTH2 NX XX EX WEIGHTS LEFT RIGHT
  MIN GROUP INCRBY SET OVERFLOW u8 WITHSCORES ID AND NOT FIELDS BLOCK m km SAMPLES DB MAXLEN
`);

const WITH_CHANNELS = wordsOf(`
  publish spublish subscribe psubscribe ssubscribe unsubscribe punsubscribe
`);
/** Commands of which the keys, or what is done to them, depend on other arguments. */
const WITH_ODD_KEYS = wordsOf(`
  set bitfield sort sort_ro georadius georadiusbymember georadius_ro eval eval_ro evalsha fcall
  fcall_ro xread xreadgroup zunionstore zinter lmpop bzmpop sintercard getex copy object|encoding
  memory|usage debug xgroup|create xinfo|stream restore move geosearchstore zrangestore lcs
`);

export const acl: Family = {
  name: 'acl',
  settings: [['acl-pubsub-default', 'resetchannels', 'allchannels']],
  begins: [['ACL', 'DELUSER', ...USERS]],
  makers: [
    [8, setUser],
    [1, (draw) => ['ACL', 'GETUSER', draw.pick(...USERS)]],
    [0.5, () => ['ACL', 'LIST']],
    [0.2, () => ['ACL', 'USERS']],
    [0.1, (draw) => ['ACL', 'DELUSER', ...draw.list(1, 2, () => draw.pick(...USERS, 'nobody'))]],
    [30, dryRun],
  ],
  reads: (key) =>
    key === '' ? [['ACL', 'LIST'], ...USERS.map((name) => ['ACL', 'GETUSER', name])] : [],
};

function anyCase(draw: Draw, word: string): string {
  if (draw.chance(0.85)) return word;
  return draw.chance(0.5) ? word.toUpperCase() : word[0]!.toUpperCase() + word.slice(1);
}

function setUser(draw: Draw): Step {
  const name = draw.chance(0.02) ? draw.pick('a b', 'a\x00', '\t') : draw.pick(...USERS);
  const begin = draw.chance(0.5) ? [draw.pick('reset', 'on', '+@all', '+@all', 'allkeys')] : [];
  const rules = draw.list(0, 5, () => '').flatMap(() => rule(draw));
  return step(['ACL', 'SETUSER', name, ...begin, ...rules]);
}

function rule(draw: Draw): Words {
  const kind = draw.random.fraction();
  if (kind < 0.08) return selector(draw);
  if (kind < 0.16) return [anyCase(draw, draw.pick('on', 'off', 'nopass', 'resetpass'))];
  if (kind < 0.19) return [anyCase(draw, draw.pick('sanitize-payload', 'skip-sanitize-payload'))];
  if (kind < 0.21) return [anyCase(draw, draw.pick('reset', 'clearselectors', 'clearselectors'))];
  if (kind < 0.27) return [draw.pick('>', '>', '<') + draw.pick(...PASSWORDS)];
  if (kind < 0.3) return [draw.pick('#', '#', '!') + draw.pick(...HASHES)];
  if (kind < 0.33) return [malformed(draw)];
  return [selectorRule(draw)];
}

/** A rule that may stand in a selector. */
function selectorRule(draw: Draw): string {
  const kind = draw.random.fraction();
  if (kind < 0.1) {
    return anyCase(draw, draw.pick('allkeys', 'resetkeys', 'resetkeys', '~*', '%RW~*', '%R~*'));
  }
  if (kind < 0.18) {
    return anyCase(draw, draw.pick('allchannels', 'resetchannels', 'resetchannels', '&*'));
  }
  if (kind < 0.26) {
    return anyCase(draw, draw.pick('allcommands', 'nocommands', '+@all', '-@all', '+@all'));
  }
  if (kind < 0.46) return draw.pick('~', '~', '%R~', '%W~', '%RW~', '%wr~', '%r~') + glob(draw);
  if (kind < 0.54) return `&${glob(draw)}`;
  const sign = draw.pick('+', '+', '-');
  if (kind < 0.72) return `${sign}@${anyCase(draw, draw.pick(...CATEGORIES))}`;
  return sign + anyCase(draw, command(draw));
}

function glob(draw: Draw): string {
  return draw.pick(...GLOBS);
}

function command(draw: Draw): string {
  const kind = draw.random.fraction();
  if (kind < 0.55) return draw.pick(...COMMANDS);
  if (kind < 0.8) return draw.pick(...SUBCOMMANDS);
  if (kind < 0.9) return draw.pick(...CONTAINERS);
  const [one, other] = [draw.pick(...COMMANDS, ...CONTAINERS), draw.pick(...NAMES)];
  return draw.chance(0.1) ? `${draw.pick(...SUBCOMMANDS)}|${other}` : `${one}|${other}`;
}

/** A selector in one word or several; seldom one that nothing closes. */
function selector(draw: Draw): Words {
  const rules = draw.list(0, 5, () =>
    draw.chance(0.05) ? draw.pick('on', '>p', malformed(draw)) : inSelector(draw),
  );
  const text = `(${rules.join(draw.chance(0.9) ? ' ' : '  ')}${draw.chance(0.97) ? ')' : ''}`;
  return draw.chance(0.5) ? [text] : text.split(' ');
}

/** A rule that seldom is in quotes, whole or from its middle on. */
function inSelector(draw: Draw): string {
  const made = selectorRule(draw);
  if (draw.chance(0.95)) return made;
  const at = draw.random.integer(0, made.length);
  const quote = draw.pick('"', "'");
  return made.slice(0, at) + quote + made.slice(at) + draw.pick(quote, quote, quote, '');
}

function malformed(draw: Draw): string {
  return draw.pick(
    ...[
      '',
      'x',
      '+',
      '-',
      '~',
      '&',
      '%~a',
      '%R',
      '%RR~a',
      '%X~a',
      '%RW',
      '+@',
      '-@nothing',
      '@read',
    ],
    ...['+nothing', '-nothing', '+get|', '-get|x', '+config|get|x', '+config|', '+config|nothing'],
    ...['>', '<', '#', '!', ')', '()', '( )', 'onn', 'on ', ' on', 'on\x00x', '+get\x00x', '+ get'],
    ...[
      '+@read\x00',
      '+|',
      '+|get',
      '+||',
      '-|',
      '++get',
      '~~',
      '&&',
      '\xff',
      'all keys',
      '~a b',
      '+@read|get',
    ],
  );
}

/** A command with arguments among which there are keys, wherever it has them. */
function dryRun(draw: Draw): Words {
  const user = draw.chance(0.01) ? 'nobody' : draw.pick(...USERS);
  const kind = draw.random.fraction();
  const group = kind < 0.1 ? WITH_CHANNELS : kind < 0.25 ? WITH_ODD_KEYS : COMMANDS;
  const named = draw.pick(...(kind < 0.85 ? group : SUBCOMMANDS));
  const words = anyCase(draw, named).split('|');
  return ['ACL', 'DRYRUN', user, ...words, ...draw.random.weighted(ARGUMENTS)(draw)];
}

function names(draw: Draw, least: number, most: number): Words {
  return draw.list(least, most, () => draw.pick(...NAMES));
}

const ARGUMENTS: readonly (readonly [number, (draw: Draw) => Words])[] = [
  [2, (draw) => names(draw, 0, 2)],
  [6, (draw) => names(draw, 2, 4)],
  [3, (draw) => names(draw, 5, 8)],
  // A number of keys, at the places at which there are such.
  [3, (draw) => counted(draw)],
  [1, (draw) => [...names(draw, 1, 1), ...counted(draw)]],
  [1, (draw) => [...names(draw, 2, 2), ...counted(draw)]],
  [
    4,
    (draw) =>
      draw.list(1, 8, () => (draw.chance(0.4) ? draw.pick(...OPTIONS) : draw.pick(...NAMES))),
  ],
  [1, (draw) => [...names(draw, 1, 2), ...draw.maybe(0.7, 'STREAMS'), ...names(draw, 1, 4)]],
];

function counted(draw: Draw): Words {
  const keys = names(draw, 0, 3);
  const count = draw.chance(0.85) ? String(keys.length) : draw.pick('-1', 'x', '9', '1');
  return [count, ...keys, ...names(draw, 0, 2), ...draw.maybe(0.3, draw.pick(...OPTIONS))];
}
