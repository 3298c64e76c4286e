/**
 * Scripts and functions: what Lua makes of values, of replies and of errors, and what of it clients see. The texts are
 * put together of expressions whose value does not depend on chance, nor on the order of a table's fields.
 */
import { createHash } from 'node:crypto';
import type { Draw } from '../draw.ts';
import { step, type Family, type Step, type Words } from '../family.ts';
import { forms } from '../forms.ts';

/** Levels of an expression within others. */
const DEPTH_MAX = 3;
const LIBRARIES = ['lib1', 'lib2'];
/** Both libraries may have the last: of several that another library has, Redis names any. */
const FUNCTIONS = ['f1', 'f2', 'both'];

export const scripts: Family = {
  name: 'scripts',
  settings: [],
  // No FUNCTION FLUSH: after a call with an invalid argument, it crashes Redis 7.4.1.
  begins: [['SCRIPT', 'FLUSH'], ...LIBRARIES.map((name) => ['FUNCTION', 'DELETE', name])],
  makers: [
    [12, (draw) => [draw.pick('EVAL', 'EVAL', 'EVAL', 'EVAL_RO'), script(draw), ...called(draw)]],
    [2, evalByDigest],
    [1, (draw) => ['SCRIPT', 'EXISTS', digest(script(draw)), 'x'.repeat(40)]],
    [0.2, () => ['SCRIPT', 'FLUSH']],
    [2, loadAndCall],
    [
      3,
      (draw) => [draw.pick('FCALL', 'FCALL', 'FCALL_RO'), draw.pick(...FUNCTIONS), ...called(draw)],
    ],
    [0.5, (draw) => ['FUNCTION', 'DELETE', draw.pick(...LIBRARIES)]],
    [
      0.5,
      (draw) => [
        {
          words: ['FUNCTION', 'LIST', 'LIBRARYNAME', draw.pick(...LIBRARIES)],
          form: forms.shuffled,
        },
      ],
    ],
    [1, (draw) => ['SET', draw.key(), draw.value()]],
    [1, (draw) => ['RPUSH', draw.key(), ...draw.list(1, 4, () => draw.value())]],
    [1, (draw) => ['HSET', draw.key(), draw.member(), draw.value()]],
    [1, (draw) => ['ZADD', draw.key(), draw.float(), draw.member()]],
    [1, (draw) => ['DEL', ...draw.keys(1, 3)]],
    [1, transaction],
  ],
};

function digest(source: string): string {
  return createHash('sha1').update(Buffer.from(source, 'latin1')).digest('hex');
}

/** The number of keys, keys, and arguments. */
function called(draw: Draw): Words {
  const keys = draw.keys(0, 3);
  const count = draw.chance(0.04)
    ? draw.pick('-1', 'x', '1.5', '9', '99999999999999999999')
    : String(keys.length);
  return [count, ...keys, ...draw.list(0, 3, () => draw.value())];
}

function evalByDigest(draw: Draw): Step {
  const source = script(draw);
  const name = digest(source);
  const words = ['EVALSHA', draw.chance(0.2) ? name.toUpperCase() : name, ...called(draw)];
  if (draw.chance(0.3)) return step(words);
  return step(draw.chance(0.5) ? ['SCRIPT', 'LOAD', source] : ['EVAL', source, '0'], words);
}

function loadAndCall(draw: Draw): Step {
  const replaces = draw.maybe(0.8, draw.pick('REPLACE', 'replace'));
  const load = ['FUNCTION', 'LOAD', ...replaces, library(draw)];
  return step(load, ['FCALL', draw.pick(...FUNCTIONS), ...called(draw)]);
}

function transaction(draw: Draw): Step {
  const evals = draw.list(1, 3, () => script(draw));
  return step(['MULTI'], ...evals.map((source) => ['EVAL', source, ...called(draw)]), ['EXEC']);
}

function library(draw: Draw): string {
  const library = draw.random.integer(0, 1);
  const functions = draw.list(1, 2, () => {
    const name = draw.pick(FUNCTIONS[library]!, 'both');
    const body = `function(KEYS, ARGV) ${block(draw)} end`;
    if (draw.chance(0.6)) return `redis.register_function('${name}', ${body})`;
    const flags = draw.pick('', ", flags = {'no-writes'}", ", flags = {'allow-oom'}");
    return `redis.register_function{function_name = '${name}', callback = ${body}${flags}}`;
  });
  const head = draw.chance(0.05)
    ? draw.pick('#!lua', '#!js name=lib1', '#!lua name=', '#!lua name=a-b', '')
    : `#!lua name=${LIBRARIES[library]!}`;
  return `${head}\n${functions.join('\n')}`;
}

function script(draw: Draw): string {
  const flags = ['no-writes', 'allow-oom', 'no-cluster', 'allow-stale'].filter(() =>
    draw.chance(0.3),
  );
  const shebang = draw.chance(0.1)
    ? `#!lua${draw.chance(0.7) ? ` flags=${flags.join()}` : ''}\n`
    : '';
  return shebang + block(draw);
}

function block(draw: Draw): string {
  const statements = draw.list(0, 2, () => statement(draw));
  return [...draw.maybe(0.25, `redis.setresp(${draw.pick('2', '3', '3', '4')})`), ...statements]
    .concat(`return ${value(draw, 0)}`)
    .join(' ');
}

function statement(draw: Draw): string {
  return draw.pick(
    `local x = ${value(draw, 1)}`,
    call(draw),
    call(draw),
    `if ${value(draw, 1)} then ${call(draw)} end`,
    `for i = 1, 3 do ${call(draw)} end`,
    draw.chance(0.1) ? 'y = 1' : 'local y = 1',
    draw.chance(0.1) ? 'error({err = "MINE and no other"})' : 'local z',
    draw.chance(0.1)
      ? `error(${draw.pick("'plain'", number(draw), 'nil', 'true', '#ARGV')})`
      : 'local w',
  );
}

/** An expression. */
function value(draw: Draw, depth: number): string {
  if (depth >= DEPTH_MAX) return simple(draw);
  const inner = (): string => value(draw, depth + 1);
  const makers: readonly (() => string)[] = [
    () => simple(draw),
    () => simple(draw),
    () => call(draw),
    () => call(draw),
    () => `{${draw.list(0, 4, inner).join(', ')}}`,
    () => table(draw, inner),
    () => `tostring(${scalar(draw)})`,
    () => `tonumber(${scalar(draw)})`,
    () => `type(${inner()})`,
    () => `redis.sha1hex(${scalar(draw)})`,
    () => `redis.error_reply(${text(draw)})`,
    () => `redis.status_reply(${text(draw)})`,
    () => `{pcall(function() return ${inner()} end)}`,
    () => `{pcall(function() ${statement(draw)} return ${inner()} end)}`,
    () => json(draw, inner),
    () => messagePack(draw, inner),
    () => struct(draw),
    () => bits(draw),
    () => strings(draw),
  ];
  return draw.random.pick(makers)();
}

function simple(draw: Draw): string {
  return draw.pick(
    number(draw),
    text(draw),
    'true',
    'false',
    'nil',
    'KEYS[1]',
    'ARGV[1]',
    '#KEYS',
    'ARGV',
  );
}

function scalar(draw: Draw): string {
  return draw.pick(number(draw), text(draw), 'ARGV[1]', 'KEYS[1]', 'true', 'nil');
}

const NUMBERS =
  '0 1 -1 3.7 -3.7 0.1 1e15 1e16 -1e17 2^53 2^53-1 -(2^53) 2^63 -(2^63) 1e19 -1e19 1e100 1/3 100 1e-5 ' +
  '12345678901234567 2^31 -2^31 2^32';

function number(draw: Draw): string {
  return draw.pick(...NUMBERS.split(' '), draw.integer(-100_000, 100_000));
}

/** A string, with any bytes. */
function text(draw: Draw): string {
  const raw = draw.pick(
    ...[
      '',
      'a',
      'ERR',
      'ERR x',
      '-ERR x',
      '-MINE',
      'MINE x',
      '10',
      '-7',
      '3.5',
      '0x10',
      '1e3',
      ' 5 ',
      'nan',
      'inf',
    ],
    ...[
      'a\r\nb',
      '\x00',
      'x\x00y',
      '\xff\xfe',
      '"\\/',
      '\u00e9',
      '\x7f\x1f',
      'OK',
      '{"a":1}',
      '[1,2]',
    ],
    draw.member(),
  );
  return quoted(raw);
}

function quoted(raw: string): string {
  const digits = (char: string): string => `\\${String(char.charCodeAt(0)).padStart(3, '0')}`;
  return `'${raw.replace(/[^ -&(-[\]-~]/g, digits)}'`;
}

function table(draw: Draw, inner: () => string): string {
  return draw.pick(
    `{ok = ${text(draw)}}`,
    `{err = ${text(draw)}}`,
    `{double = ${number(draw)}}`,
    `{big_number = ${draw.pick("'123'", "'-99999999999999999999'", "'1\\n2'", '5')}}`,
    `{map = {a = ${inner()}}}`,
    `{map = {[${number(draw)}] = ${inner()}}}`,
    `{set = {[${scalar(draw).replace('nil', '1')}] = true}}`,
    `{verbatim_string = {format = ${draw.pick("'txt'", "'toolong'", "'a'", 'nil')}, string = ${text(draw)}}}`,
    `{${inner()}, ${inner()}, x = 1}`,
    `{[3] = ${inner()}, [1] = 1}`,
  );
}

/** Commands whose replies have one order; K and L are keys, V a value. */
const CALLS = [
  'SET K V, GET K, get K, INCR K, INCRBY K V, INCRBYFLOAT K V, APPEND K V, STRLEN K, TYPE K, DEL K L, EXISTS K L, MGET K L',
  'MSET K V, RPUSH K V, LPOP K, LRANGE K 0 -1, LLEN K, LPOS K V, LMOVE K L LEFT RIGHT, SADD K V, SISMEMBER K V, SCARD K',
  'SMISMEMBER K V a, SINTERCARD 2 K L, HSET K a V, HGET K a, HMGET K a b, HDEL K a, ZADD K V a, ZSCORE K a, ZMSCORE K a b',
  'ZRANGE K 0 -1 WITHSCORES, ZINCRBY K V b, RENAME K L, COPY K L, BLPOP K 0, XADD K 1-* f V, XLEN K, ECHO V, PING, NOSUCH K',
  'GET, SET K, SUBSCRIBE c, MULTI, AUTH x, SELECT 99, OBJECT ENCODING K, OBJECT NOSUCH K, EXPIRE K 1000, PERSIST K',
  'SETRANGE K 3 V, GETRANGE K 0 3',
]
  .join(', ')
  .split(', ');

function call(draw: Draw): string {
  const named: Readonly<Record<string, string>> = {
    K: draw.chance(0.6) ? 'KEYS[1]' : quoted(draw.key()),
    L: draw.chance(0.5) ? 'KEYS[2]' : quoted(draw.key()),
    V: draw.pick('ARGV[1]', text(draw), number(draw)),
  };
  const words = draw.pick(...CALLS).split(' ');
  const args = words.map((word) => named[word] ?? quoted(word));
  return `redis.${draw.pick('call', 'pcall', 'pcall')}(${args.join(', ')})`;
}

function json(draw: Draw, inner: () => string): string {
  return draw.pick(
    `cjson.encode({${draw.list(0, 3, inner).join(', ')}})`,
    `cjson.encode(${scalar(draw)})`,
    `cjson.encode({a = ${inner()}})`,
    `cjson.decode(${quoted(draw.pick(...JSON_TEXTS))})`,
    `cjson.encode(cjson.decode(${quoted(draw.pick(...JSON_TEXTS))}))`,
    `{pcall(cjson.decode, ${text(draw)})}`,
  );
}

const JSON_TEXTS: readonly string[] = [
  ...[
    '[1,2,3]',
    '[]',
    '{}',
    '[1.5,-2e3,null,true,false,"x"]',
    '{"a":{"b":[1]}}',
    '"\\u00e9\\n\\ud83d\\ude00"',
  ],
  ...[
    '[1,]',
    '{"a"',
    'nul',
    '[1e999]',
    '123',
    ' [ 1 ] ',
    '["\\x"]',
    '[01]',
    '[-0]',
    '[0.1,1e-7,12345678901234567890]',
  ],
  ...['[[[[1]]]]', '"a\\u0000b"', '[NaN]', '[Infinity]', '{"1":1}', '["\xff"]', ''],
];

function messagePack(draw: Draw, inner: () => string): string {
  return draw.pick(
    `cmsgpack.pack(${inner()})`,
    `cmsgpack.pack(${scalar(draw)}, ${scalar(draw)})`,
    `cmsgpack.unpack(cmsgpack.pack(${inner()}))`,
    `{cmsgpack.unpack_one(cmsgpack.pack(${scalar(draw)}, ${scalar(draw)}), ${draw.pick('0', '1', '-1', '99')})}`,
    `{cmsgpack.unpack_limit(cmsgpack.pack(1, 2, 3), ${draw.pick('0', '1', '2', '-1')}, 0)}`,
    `{pcall(cmsgpack.unpack, ${text(draw)})}`,
  );
}

function struct(draw: Draw): string {
  const format = quoted(
    draw.pick(
      '>I2h',
      '<i4',
      'bB',
      '>d',
      'f',
      's',
      'c0',
      'c3',
      '!4 i2 x i4',
      'I9',
      'z',
      '>I4<I4',
      'Bc0',
    ),
  );
  return draw.pick(
    `struct.pack(${format}, ${number(draw)}, ${scalar(draw)})`,
    `{struct.unpack(${format}, ${text(draw)})}`,
    `{struct.unpack(${format}, struct.pack(${format}, ${number(draw)}, 'abc'))}`,
    `struct.size(${format})`,
  );
}

function bits(draw: Draw): string {
  const name = draw.pick('band', 'bor', 'bxor', 'lshift', 'rshift', 'arshift', 'rol', 'ror');
  return draw.pick(
    `bit.${name}(${number(draw)}, ${number(draw)})`,
    `bit.${draw.pick('tobit', 'bnot', 'bswap')}(${number(draw)})`,
    `bit.tohex(${number(draw)}, ${draw.pick('4', '-4', '8', '0')})`,
  );
}

function strings(draw: Draw): string {
  return draw.pick(
    `string.rep(${text(draw)}, ${draw.integer(0, 20)})`,
    `string.sub(${text(draw)}, ${draw.integer(-3, 3)}, ${draw.integer(-3, 3)})`,
    `string.format('${draw.pick('%d', '%s', '%5.2f', '%q', '%x', '%g', '%c', '%5s|')}', ${scalar(draw)})`,
    `table.concat({${draw.list(0, 3, () => scalar(draw)).join(', ')}}, ',')`,
    `{string.find(${text(draw)}, ${quoted(draw.pick('a', '%d+', '(.)', '%w*', '[', '%z'))})}`,
    `{string.byte(${text(draw)}, 1, -1)}`,
    `(string.gsub(${text(draw)}, '%w', '<%0>'))`,
    `${text(draw)} .. ${scalar(draw)}`,
    `${number(draw)} ${draw.pick('+', '-', '*', '/', '%', '<', '==')} ${number(draw)}`,
    `math.floor(${number(draw)})`,
    `{math.modf(${number(draw)})}`,
    `select('#', unpack({${draw.list(0, 3, () => scalar(draw)).join(', ')}}))`,
  );
}
