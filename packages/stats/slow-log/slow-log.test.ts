/** The slow log of a thread: what it keeps, how it shows it, and how several are one. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';
import { SlowLog, type RawArguments, type SlowCommand } from './slow-log.ts';

const slow = suite('slow log');

const client = { id: 7, address: '127.0.0.1:5', name: 'me', user: 'default' };
const command: SlowCommand = {
  unixMs: 1_000,
  executeUs: 20,
  queueUs: 3,
  durableUs: 0,
  database: 0,
  client,
};

function argumentsOf(words: readonly string[]): ArgumentBytes {
  const source = Buffer.from(words.join(''), 'latin1');
  const ends: number[] = [];
  for (const word of words) ends.push((ends.at(-1) ?? 0) + word.length);
  return {
    source,
    count: words.length,
    at: (index) => ends[index]! - words[index]!.length,
    length: (index) => words[index]!.length,
  };
}

function shown(
  words: readonly string[],
  secrets: readonly number[] = [],
  bytesMax = 128,
): string[] {
  const kept = new KeptArguments().keep(argumentsOf(words), secrets, bytesMax);
  return kept.shown.map((arg) => Buffer.from(arg).toString('latin1'));
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, nth) => `${nth}`);

const cases: readonly (readonly [what: string, actual: string[], expected: string[]])[] = [
  ['short arguments as they are', shown(['GET', 'k']), ['GET', 'k']],
  ['empty ones', shown(['SET', '', '']), ['SET', '', '']],
  ['any bytes', shown(['SET', '\0\r\n\xff']), ['SET', '\0\r\n\xff']],
  ['an argument of the limit', shown(['a'.repeat(128)]), ['a'.repeat(128)]],
  ['one byte more', shown(['a'.repeat(129)]), [`${'a'.repeat(128)}... (1 more bytes)`]],
  ['nothing of an argument, at no length', shown(['GET'], [], 0), ['... (3 more bytes)']],
  [
    'no secret, nor how long it is',
    shown(['AUTH', 'u', 'p'], [1, 2]),
    ['AUTH', '(redacted)', '(redacted)'],
  ],
  ['32 arguments', shown(numbers(32)), numbers(32)],
  ['31 of 33, and how many more', shown(numbers(33)), [...numbers(31), '... (2 more arguments)']],
  ['much in many', shown(new Array(32).fill('b'.repeat(100))), new Array(32).fill('b'.repeat(100))],
];

for (const [what, actual, expected] of cases) {
  slow(`keeps ${what}`, () => assert.equal(actual, expected));
}

slow('memory of arguments is used again, and shows the new ones only', () => {
  const kept = new KeptArguments().keep(argumentsOf(['SET', 'long', 'x'.repeat(500)]), [], 1_000);
  const before = kept.shown;
  kept.keep(argumentsOf(['GET', 'k']), [], 128);
  assert.equal(
    kept.shown.map(String),
    [...'GET,k'.split(',')].map((word) => String(new Uint8Array(Buffer.from(word)))),
  );
  assert.is(before[2]!.length, 500, 'what was shown is a copy');
});

function fixture(lengthMax = 3) {
  let ids = 0;
  const log = new SlowLog(2, (count) => (ids += count) - count);
  const configure = (max: number, slowerThanUs = 10): void => {
    log.configure({ slowerThanUs, lengthMax: max, argumentBytesMax: 128 });
  };
  configure(lengthMax);
  const add = (word: string): void => {
    log.add(command, new KeptArguments().keep(argumentsOf([word]), [], 128));
  };
  const list = (fromId = 0, count = Infinity): string[] =>
    log.newest(fromId, count).map(({ id, args }) => `${id}:${String(Buffer.from(args[0]!))}`);
  return { log, configure, add, list };
}

slow('keeps the newest, and answers them first', () => {
  const { add, list, log } = fixture();
  for (const word of 'abcde') add(word);
  assert.equal(list(), ['4:e', '3:d', '2:c']);
  assert.equal(list(3), ['4:e', '3:d']);
  assert.equal(list(0, 1), ['4:e']);
  assert.equal(list(0, 0), []);
  const [entry] = log.newest(0, 1);
  assert.equal({ ...entry, args: [] }, { ...command, id: 4, shard: 2, args: [] });
});

slow('becomes shorter and longer', () => {
  const { add, list, configure } = fixture(4);
  for (const word of 'abcdef') add(word);
  configure(2);
  assert.equal(list(), ['5:f', '4:e']);
  configure(3);
  add('g');
  add('h');
  assert.equal(list(), ['7:h', '6:g', '5:f']);
});

slow('a batch has its ids together, and those that made room again have had theirs', () => {
  const taken: number[] = [];
  const log = new SlowLog(0, (count) => {
    taken.push(count);
    return 100 * taken.length;
  });
  log.configure({ slowerThanUs: 0, lengthMax: 3, argumentBytesMax: 128 });
  const addMany = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) Object.assign(log.next(), { client });
  };
  const ids = (): number[] => log.newest(0, Infinity).map(({ id }) => id);
  addMany(2);
  assert.equal(taken, [], 'not before they are asked for');
  log.number();
  assert.equal(ids(), [101, 100]);
  addMany(2);
  assert.equal(ids(), [201, 200, 101], 'whoever reads sees them with their ids');
  addMany(7);
  log.number();
  log.number();
  assert.equal(ids(), [306, 305, 304]);
  assert.equal(taken, [2, 2, 7]);
  addMany(1);
  log.reset(306);
  assert.equal(ids(), [400, 306]);
});

/** Slots that keep the arguments themselves; short ones only. */
class Slots implements RawArguments {
  readonly slots = 3;
  readonly kept = new Map<number, ArgumentBytes>();

  keep(slot: number, args: ArgumentBytes): boolean {
    if (args.source.length > 8) return false;
    this.kept.set(slot, args);
    return true;
  }

  read(slot: number): ArgumentBytes {
    return this.kept.get(slot)!;
  }
}

slow('arguments are kept raw where that can be, and shown alike', () => {
  const slots = new Slots();
  let ids = 0;
  const log = new SlowLog(0, (count) => (ids += count) - count, slots);
  const configure = (lengthMax: number, argumentBytesMax = 4): void => {
    log.configure({ slowerThanUs: 0, lengthMax, argumentBytesMax });
  };
  const add = (words: readonly string[], secrets: readonly number[] = []): void => {
    const entry = log.next();
    Object.assign(entry, { client });
    log.keepArguments(entry, argumentsOf(words), secrets);
  };
  const list = (): string[] =>
    log
      .newest(0, Infinity)
      .map(({ args }) => args.map((arg) => Buffer.from(arg).toString()).join(' '));
  configure(4);
  add(['GET', 'abcde']);
  add(['AUTH', 'pass'], [1]);
  add(['SET', 'k', 'longer than a slot']);
  add(['GET', 'd']);
  const all = [
    'GET d',
    'SET k long... (14 more bytes)',
    'AUTH (redacted)',
    'GET abcd... (1 more bytes)',
  ];
  assert.equal(list(), all);
  configure(4, 1_000);
  assert.equal(list()[3], all[3], 'as the setting was then');
  assert.is(slots.kept.size, 1, 'the last one had no slot, and two others could not be raw');
  add(['GET', 'e']);
  assert.equal(list()[0], 'GET e', 'in the place of the oldest');
  configure(1);
  configure(4);
  for (const key of ['f', 'g', 'h', 'i']) add(['GET', key]);
  assert.equal(list(), ['GET i', 'GET h', 'GET g', 'GET f']);
  log.reset(ids);
  for (const key of ['j', 'k']) add(['GET', key]);
  assert.equal(list(), ['GET k', 'GET j']);
  assert.is(new Set(slots.kept.values()).size, slots.kept.size, 'no two entries share a slot');
});

slow('forgets what has a lower id', () => {
  const { add, list, log } = fixture();
  for (const word of 'abcd') add(word);
  log.reset(3);
  assert.equal(list(), ['3:d']);
  add('e');
  assert.equal(list(), ['4:e', '3:d']);
});

slow('without room, or without a limit, is off', () => {
  const { log, configure, add, list } = fixture();
  assert.ok(log.isOn);
  configure(0);
  assert.not.ok(log.isOn);
  add('a');
  assert.equal(list(), []);
  configure(5, -1);
  assert.not.ok(log.isOn);
  configure(5, 0);
  assert.is(log.slowerThanUs, 0);
});

slow(
  'a log of any length keeps what a plain list would',
  withRandom((random) => {
    const { log, configure, add, list } = fixture(4);
    let model: string[] = [];
    let max = 4;
    let next = 0;
    for (let step = 0; step < 2_000; step += 1) {
      if (random.chance(0.02)) {
        max = random.integer(1, 9);
        configure(max);
      } else if (random.chance(0.02)) {
        log.reset(next);
        model = [];
      } else {
        add('w');
        model.unshift(`${next++}:w`);
      }
      model = model.slice(0, max);
      assert.equal(list(), model);
    }
  }),
);

slow.run();
