/** Random values and bytes through the libraries, here and in a Redis. */

import {
  type ChildServer,
  needs,
  type Random,
  redisProgram,
  startRedis,
  withRandom,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rawReplies, ScriptRunner } from '../script-runner.test-helper.ts';

const ROUNDS = 250;
const libraries = suite('libraries against redis, at random');

let server: ChildServer;
let runner: ScriptRunner;
libraries.before(async () => {
  server = await startRedis();
  runner = new ScriptRunner();
});
libraries.after(async () => {
  await server.stop();
});

function number(random: Random): string {
  return random.weighted<() => string>([
    [3, () => String(random.integer(-200, 200))],
    [1, () => String(random.integer(-(2 ** 40), 2 ** 40))],
    [1, () => String((random.fraction() - 0.5) * 10 ** random.integer(-12, 22))],
    [1, () => String(random.integer(-1_000, 1_000) / 8)],
    [1, () => `2^${random.integer(0, 62)}`],
    [1, () => `-2^${random.integer(0, 62)}`],
    [1, () => `${random.integer(1, 10 ** 14)}.5`],
  ])();
}

/** Text of a string in Lua, with any bytes in it. */
function text(random: Random): string {
  const bytes = random.bytes(random.integer(0, random.chance(0.1) ? 300 : 12));
  return `"${[...bytes].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}

/** Text of a value in Lua. */
function value(random: Random, depth = 0): string {
  const items = (): number => random.integer(0, 6);
  return random.weighted<() => string>([
    [3, () => number(random)],
    [3, () => text(random)],
    [1, () => random.pick(['true', 'false', 'cjson.null'])],
    [
      depth > 4 ? 0 : 2,
      () => `{${Array.from({ length: items() }, () => value(random, depth + 1)).join(',')}}`,
    ],
    [
      depth > 4 ? 0 : 2,
      () =>
        `{${Array.from({ length: items() }, () => `["k${random.integer(0, 99)}"]=${value(random, depth + 1)}`).join(',')}}`,
    ],
    [
      depth > 4 ? 0 : 1,
      () =>
        `{${Array.from({ length: items() }, () => `[${random.integer(1, 12)}]=${value(random, depth + 1)}`).join(',')}}`,
    ],
  ])();
}

const JSON_PIECES = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\\\u00e9"',
    '"\\\\ud83d\\\\ude00"',
    '1',
    '-2.5e3',
    'null',
  ],
  ...[
    'true',
    'false',
    ' ',
    '0x1f',
    'inf',
    '1e',
    '-',
    '"',
    '\\\\',
    '[1,2]',
    '{"a":1}',
    '0',
    '01',
    '.5',
  ],
];

function json(random: Random): string {
  const count = random.integer(1, 12);
  const pieces = Array.from({ length: count }, () => random.pick(JSON_PIECES));
  return `'${pieces.join('')}'`;
}

const OPTIONS = [
  ...[
    'b',
    'B',
    'h',
    'H',
    'l',
    'L',
    'T',
    'i',
    'I',
    'i1',
    'i3',
    'I5',
    'i8',
    'I16',
    'f',
    'd',
    's',
    'x',
  ],
  ...['c0', 'c3', '>', '<', '!', '!2', '!16', ' ', 'z', 'i33', '!3'],
];

function format(random: Random): string {
  const count = random.integer(0, 6);
  return `"${Array.from({ length: count }, () => random.pick(OPTIONS)).join('')}"`;
}

const BITS = ['band', 'bor', 'bxor', 'bnot', 'lshift', 'rshift', 'arshift', 'rol', 'ror', 'bswap'];

const scripts: Readonly<Record<string, (random: Random) => string>> = {
  'cjson.encode': (random) => `return {pcall(cjson.encode,${value(random)})}`,
  'cjson.decode': (random) =>
    `local ok,v=pcall(cjson.decode,${json(random)}) return {ok,ok and cmsgpack.pack(v) or v}`,
  'cjson back and forth': (random) =>
    `return cjson.encode({cjson.decode(cjson.encode({${value(random)}}))})`,
  'cmsgpack.pack': (random) => `return cmsgpack.pack(${value(random)},${value(random)})`,
  'cmsgpack.unpack': (random) =>
    `local r={pcall(cmsgpack.unpack,${text(random)})} return #r < 30 and cmsgpack.pack(r)`,
  'cmsgpack back and forth': (random) =>
    `return cmsgpack.pack(cmsgpack.unpack(cmsgpack.pack(${value(random)})))`,
  'struct.pack': (random) =>
    `return {pcall(struct.pack,${format(random)},${random.pick([number, text])(random)},${number(random)},${text(random)})}`,
  'struct.unpack': (random) =>
    `local r={pcall(struct.unpack,${format(random)},${text(random)})} for i,v in ipairs(r) do r[i]=tostring(v) end return r`,
  'struct.size': (random) => `return {pcall(struct.size,${format(random)})}`,
  bit: (random) => `return bit.${random.pick(BITS)}(${number(random)},${random.integer(0, 40)})`,
  'bit.tohex': (random) => `return bit.tohex(${number(random)},${random.integer(-10, 10)})`,
  'string.format': (random) =>
    `return string.format("%${random.pick(['', '-', '0', '+', ' ', '#'])}${random.pick(['', '5', '25'])}${random.pick(['', '.3', '.0'])}${random.pick(['d', 'i', 'u', 'x', 'X', 'o'])}",${number(random)})`,
  tostring: (random) => `return tostring(${number(random)})`,
  'redis.call': (random) => `return {${number(random)},${value(random)}}`,
};

for (const [name, script] of Object.entries(scripts)) {
  libraries(
    name,
    withRandom(async (random) => {
      const redis = await rawReplies(server);
      for (let round = 0; round < ROUNDS; round += 1) {
        const source = script(random);
        assert.is(runner.run(source), await redis(['EVAL', source, '0']), source);
      }
    }),
  );
}

if (needs(redisProgram())) libraries.run();
