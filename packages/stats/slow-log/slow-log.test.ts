/** The slow log of a thread: what it keeps, how it shows it, and how several are one. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';
import { SlowLog, type RawCommand, type RawCommands, type SlowCommand } from './slow-log.ts';

const slow = suite('slow log');

const client = { id: 7, address: '127.0.0.1:5', name: 'me', user: 'default' };
const command: SlowCommand = {
  unixMs: 1_000,
  executeUs: 20,
  queueUs: 3,
  durableUs: 0,
  fetchUs: 0,
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
  const configure = (max: number, threshold = 10): void => {
    log.configure({ threshold, lengthMax: max, argumentBytesMax: 128 });
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
  assert.equal({ ...entry, args: [] }, { ...command, bytes: 0, id: 4, shard: 2, args: [] });
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
  log.configure({ threshold: 0, lengthMax: 3, argumentBytesMax: 128 });
  const addMany = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) log.log(command, argumentsOf([]), []);
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

/** Memory in which commands stay for as many others as it has room. */
class Passing implements RawCommands {
  readonly #room: number;
  readonly #kept = new Map<number, ArgumentBytes>();
  #position = 0;

  constructor(room: number) {
    this.#room = room;
  }

  take(args: ArgumentBytes): RawCommand {
    const place = this.#position % this.#room;
    this.#kept.set(place, args);
    this.#position += 1;
    const { count } = args;
    return { place, position: this.#position - 1, count, database: count, client };
  }

  isGoing(position: number): boolean {
    return this.#position - position >= this.#room;
  }

  argumentsAt(place: number): ArgumentBytes {
    return this.#kept.get(place)!;
  }
}

const RAW_BYTES_MAX = 8;

function rawFixture(room: number) {
  const raw = new Passing(room);
  let ids = 0;
  const log = new SlowLog(0, (count) => (ids += count) - count, raw);
  return {
    configure: (lengthMax: number, argumentBytesMax = 4): void => {
      log.configure({ threshold: 0, lengthMax, argumentBytesMax });
    },
    add: (words: readonly string[], secrets: readonly number[] = []): number => {
      const args = argumentsOf(words);
      const isRaw = secrets.length === 0 && args.source.length <= RAW_BYTES_MAX;
      const nth = isRaw ? log.note(raw.take(args), 1_005, 20, 3) : log.log(command, args, secrets);
      log.settle();
      return nth;
    },
    list: (): string[] =>
      log
        .newest(0, Infinity)
        .map(({ args }) => args.map((arg) => Buffer.from(arg).toString()).join(' ')),
    log,
  };
}

slow('tells of what lies in raw memory all that it tells of others', () => {
  const { configure, add, log } = rawFixture(3);
  configure(4);
  add(['GET', 'k']);
  const [entry] = log.newest(0, 1);
  const details = { ...command, unixMs: 1_005, bytes: 0, database: 2 };
  assert.equal({ ...entry, args: [] }, { ...details, id: 0, shard: 0, args: [] });
});

slow('arguments are kept raw where that can be, and shown alike', () => {
  const { configure, add, list, log } = rawFixture(3);
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
  assert.equal(list(), all, 'as the setting was then');
  add(['GET', 'abcde']);
  assert.equal(list().slice(0, 2), ['GET abcde', 'GET d'], 'in the place of the oldest');
  configure(1);
  configure(4);
  for (const key of ['f', 'g', 'h', 'i']) add(['GET', key]);
  assert.equal(list(), ['GET i', 'GET h', 'GET g', 'GET f']);
  log.reset(9);
  for (const key of ['j', 'k']) add(['GET', key]);
  assert.equal(list(), ['GET k', 'GET j']);
});

slow(
  'arguments that were left where they are are what they were, whatever becomes of the log',
  withRandom((random) => {
    const { configure, add, list, log } = rawFixture(7);
    let model: string[] = [];
    let max = 100;
    configure(max, 1_000);
    for (let step = 0; step < 3_000; step += 1) {
      if (random.chance(0.01)) {
        max = random.integer(1, 300);
        configure(max, random.integer(20, 1_000));
      } else if (random.chance(0.01)) {
        model = model.slice(0, random.integer(0, 20));
        const [oldest] = log.newest(0, model.length).slice(-1);
        log.reset(model.length === 0 ? Infinity : oldest!.id);
      } else {
        const word = 'x'.repeat(random.integer(0, 12)) + String(step % 100);
        add([word]);
        model.unshift(word);
      }
      model = model.slice(0, max);
      assert.equal(list(), model);
    }
  }),
);

slow('those that nobody will see have ids, too', () => {
  const { configure, add, list, log } = rawFixture(3);
  configure(2);
  for (const key of 'abc') add(['GET', key]);
  log.pass(200);
  for (const key of 'de') add(['GET', key]);
  assert.equal(list(), ['GET e', 'GET d']);
  assert.equal(
    log.newest(0, Infinity).map(({ id }) => id),
    [204, 203],
  );
  configure(200);
  add(['GET', 'f']);
  log.pass(1_000);
  for (let nth = 0; nth < 200; nth += 1) add(['GET', `${nth}`]);
  assert.is(list().length, 200);
  assert.is(list().at(-1), 'GET 0');
});

slow('a wait for the disk is told of the entry that has waited, and of no other', () => {
  const { configure, add, log } = rawFixture(3);
  configure(2);
  const waits = (): number[] => log.newest(0, Infinity).map(({ durableUs }) => durableUs);
  const [first, second] = [add(['SET', 'a']), add(['SET', 'b'])];
  log.setDurable(first, 50);
  assert.equal(waits(), [0, 50]);
  for (let nth = 0; nth < 64; nth += 1) add(['GET']);
  log.setDurable(first, 70);
  log.setDurable(second, 70);
  assert.equal(waits(), [0, 0]);
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
  assert.is(log.threshold, 0);
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
