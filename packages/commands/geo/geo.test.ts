/** Places: every command, every error, and numbers as Redis has them. */
import { call, CallContext } from '../call.test-helper.ts';
import { DISTANCE_BYTES_MAX, formatDistance, writeDistance } from './distance.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const geo = suite('geo');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';
const notFloat = '-ERR value is not a valid float';

type Case = readonly (readonly [line: string, reply: unknown])[];

/** Two towns and a string. */
const setup = ['GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania', 'SET s x'];

const cases: Case = [
  ['GEOADD g 12.758489 38.788135 edge', 1],
  ['GEOADD g CH 13.361389 38.115557 Palermo 0 0 x', 1],
  ['GEOADD g XX 1 1 x', 0],
  ['GEOADD g NX 1 1 Palermo 2 2 x', 1],
  ['GEOADD g 181 1 x', '-ERR invalid longitude,latitude pair 181.000000,1.000000'],
  ['GEOADD g 1 86 x', '-ERR invalid longitude,latitude pair 1.000000,86.000000'],
  ['GEOADD g 1 1 x 200 -100.5 y', '-ERR invalid longitude,latitude pair 200.000000,-100.500000'],
  ['GEOADD g x 1 y', notFloat],
  ['GEOADD g 1 x y', notFloat],
  ['GEOADD g 1 1', "-ERR wrong number of arguments for 'geoadd' command"],
  ['GEOADD g XX NX 1 1 x', syntax],
  ['GEOADD g XX CH', "-ERR wrong number of arguments for 'geoadd' command"],
  ['GEOADD s 1 1 x', wrongType],
  ['GEODIST g Palermo Catania', '166274.1516'],
  ['GEODIST g Palermo Catania km', '166.2742'],
  ['GEODIST g Palermo Catania FT', '545518.8700'],
  ['GEODIST g Palermo Catania mi', '103.3182'],
  ['GEODIST g Palermo Palermo', '0.0000'],
  ['GEODIST g Palermo none', null],
  ['GEODIST none a b', null],
  ['GEODIST g Palermo Catania yd', '-ERR unsupported unit provided. please use M, KM, FT, MI'],
  ['GEODIST g Palermo Catania m x', syntax],
  ['GEODIST g Palermo Catania yd x', syntax],
  ['GEODIST s a b', wrongType],
  ['GEOHASH g Palermo none Catania', ['sqc8b49rny0', null, 'sqdtr74hyu0']],
  ['GEOHASH none a', [null]],
  ['GEOHASH g', []],
  ['GEOHASH s a', wrongType],
  ['GEOPOS g Palermo none', [['13.36138933897018433', '38.11555639549629859'], null]],
  ['GEOPOS none a b', [null, null]],
  ['GEOPOS g', []],
  ['GEOPOS s a', wrongType],
  ['GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC', ['Catania', 'Palermo']],
  [
    'GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km DESC WITHDIST WITHCOORD WITHHASH',
    [
      ['Palermo', '190.4424', 3479099956230698, ['13.36138933897018433', '38.11555639549629859']],
      ['Catania', '56.4413', 3479447370796909, ['15.08726745843887329', '37.50266842333162032']],
    ],
  ],
  [
    'GEOSEARCH g FROMLONLAT 15 37 BYBOX 400 400 km ASC WITHDIST',
    [
      ['Catania', '56.4413'],
      ['Palermo', '190.4424'],
    ],
  ],
  ['GEOSEARCH g FROMMEMBER Palermo BYRADIUS 200 km ASC COUNT 1', ['Palermo']],
  ['GEOSEARCH g FROMMEMBER Palermo BYRADIUS 200 km COUNT 1 ANY', ['Palermo']],
  ['GEOSEARCH g FROMMEMBER Palermo BYRADIUS 0 m', ['Palermo']],
  ['GEOSEARCH none FROMMEMBER x BYRADIUS 1 m', []],
  ['GEOSEARCH none FROMLONLAT 1 1 BYRADIUS 1 m', []],
  ['GEOSEARCH g FROMMEMBER none BYRADIUS 1 m', '-ERR could not decode requested zset member'],
  [
    'GEOSEARCH g FROMLONLAT 200 1 BYRADIUS 1 m',
    '-ERR invalid longitude,latitude pair 200.000000,1.000000',
  ],
  ['GEOSEARCH g FROMMEMBER Palermo FROMLONLAT 1 1 BYRADIUS 1 m', syntax],
  ['GEOSEARCH g FROMMEMBER Palermo BYRADIUS 1 m BYBOX 1 1 m', syntax],
  [
    'GEOSEARCH g BYRADIUS 1 m ASC DESC WITHDIST',
    '-ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GEOSEARCH',
  ],
  [
    'GEOSEARCH g FROMLONLAT 1 1 ASC DESC WITHDIST',
    '-ERR exactly one of BYRADIUS and BYBOX can be specified for GEOSEARCH',
  ],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS x m', '-ERR need numeric radius'],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS -1 m', '-ERR radius cannot be negative'],
  [
    'GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 yd',
    '-ERR unsupported unit provided. please use M, KM, FT, MI',
  ],
  ['GEOSEARCH g FROMLONLAT 1 1 BYBOX x 1 m', '-ERR need numeric width'],
  ['GEOSEARCH g FROMLONLAT 1 1 BYBOX 1 x m', '-ERR need numeric height'],
  ['GEOSEARCH g FROMLONLAT 1 1 BYBOX -1 1 m', '-ERR height or width cannot be negative'],
  [
    'GEOSEARCH g FROMLONLAT 1 1 BYBOX 1 1 yd',
    '-ERR unsupported unit provided. please use M, KM, FT, MI',
  ],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m COUNT 0', '-ERR COUNT must be > 0'],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m COUNT x', notInteger],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m ANY', '-ERR the ANY argument requires COUNT argument'],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m STOREDIST', syntax],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m STORE x', syntax],
  ['GEOSEARCH g FROMLONLAT 1 1 BYRADIUS 1 m FOO', syntax],
  ['GEOSEARCH s FROMLONLAT 1 1 BYRADIUS 1 m FOO', wrongType],
  ['GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km', 2],
  ['GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km ASC COUNT 1 STOREDIST', 1],
  ['GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 m', 0],
  ['GEOSEARCHSTORE s g FROMLONLAT 0 0 BYRADIUS 1 m', 0],
  ['GEOSEARCHSTORE d none FROMLONLAT 15 37 BYRADIUS 200 km', 0],
  [
    'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km WITHDIST',
    '-ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options',
  ],
  [
    'GEOSEARCHSTORE d g FROMLONLAT 15 37 ASC DESC ASC',
    '-ERR exactly one of BYRADIUS and BYBOX can be specified for GEOSEARCHSTORE',
  ],
  ['GEOSEARCHSTORE d s FROMLONLAT 15 37 BYRADIUS 200 km', wrongType],
  ['GEORADIUS g 15 37 200 km ASC', ['Catania', 'Palermo']],
  [
    'GEORADIUS g 15 37 200 km WITHDIST WITHCOORD DESC',
    [
      ['Palermo', '190.4424', ['13.36138933897018433', '38.11555639549629859']],
      ['Catania', '56.4413', ['15.08726745843887329', '37.50266842333162032']],
    ],
  ],
  ['GEORADIUS g 15 37 200 km STORE d', 2],
  ['GEORADIUS g 15 37 200 km STOREDIST d COUNT 1', 1],
  [
    'GEORADIUS g 15 37 200 km STORE d WITHDIST',
    '-ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options',
  ],
  ['GEORADIUS g 15 37 200 km STORE', syntax],
  ['GEORADIUS g 15 37 x km', '-ERR need numeric radius'],
  ['GEORADIUS g 15 37 -1 km', '-ERR radius cannot be negative'],
  ['GEORADIUS g 15 37 1 yd', '-ERR unsupported unit provided. please use M, KM, FT, MI'],
  ['GEORADIUS g 200 37 1 km', '-ERR invalid longitude,latitude pair 200.000000,37.000000'],
  ['GEORADIUS none 15 37 1 km', []],
  ['GEORADIUS none 15 37 1 km STORE s', 0],
  ['GEORADIUS s 15 37 1 km', wrongType],
  ['GEORADIUS_RO g 15 37 200 km ASC', ['Catania', 'Palermo']],
  ['GEORADIUS_RO g 15 37 200 km STORE d', syntax],
  ['GEORADIUSBYMEMBER g Palermo 200 km ASC', ['Palermo', 'Catania']],
  ['GEORADIUSBYMEMBER g none 200 km', '-ERR could not decode requested zset member'],
  ['GEORADIUSBYMEMBER g Palermo x km', '-ERR need numeric radius'],
  ['GEORADIUSBYMEMBER g Palermo 200 km STORE d', 2],
  ['GEORADIUSBYMEMBER none x x x', []],
  ['GEORADIUSBYMEMBER none x x x FOO', syntax],
  ['GEORADIUSBYMEMBER_RO g Palermo 100 km', ['Palermo']],
  ['GEORADIUSBYMEMBER_RO g Palermo 200 km STOREDIST d', syntax],
];

/** As a listpack, and as a ranked table. */
for (const entries of [128, 0]) {
  for (const [line, reply] of cases) {
    geo(`${line}, at most ${entries} in a listpack`, () => {
      const context = new CallContext({
        settings: { 'encoding.zset-max-listpack-entries': entries },
      });
      for (const each of setup) call(context, each);
      assert.equal(call(context, line), reply);
    });
  }
}

const cases3: Case = [
  ['GEOPOS g Palermo none', [[13.361389338970184, 38.1155563954963], null]],
  ['GEODIST g Palermo Catania', '166274.1516'],
  ['GEODIST g Palermo none', null],
  [
    'GEOSEARCH g FROMMEMBER Palermo BYRADIUS 200 km ASC WITHDIST WITHCOORD WITHHASH',
    [
      ['Palermo', '0.0000', 3479099956230698, [13.361389338970184, 38.1155563954963]],
      ['Catania', '166.2742', 3479447370796909, [15.087267458438873, 37.50266842333162]],
    ],
  ],
];

for (const [line, reply] of cases3) {
  geo(`${line} in RESP3`, () => {
    const context = new CallContext({ protocol: 3 });
    for (const each of setup) call(context, each);
    assert.equal(call(context, line), numbers(reply));
  });
}

/** In RESP3 places are doubles, read as numbers; distances stay text. */
function numbers(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(numbers);
  return typeof reply === 'string' && reply.length > 12 ? Number(reply) : reply;
}

const stores: readonly (readonly [line: string, announced: readonly string[]])[] = [
  ['GEOADD g 1 1 x', ['z zadd g']],
  ['GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km', ['~n new d', 'z geosearchstore d']],
  ['GEORADIUS g 15 37 200 km STORE d', ['~n new d', 'z georadiusstore d']],
  [
    'GEORADIUSBYMEMBER g Palermo 200 km STOREDIST s',
    ['~o overwritten s', '~c type_changed s', 'z georadiusstore s'],
  ],
  ['GEOSEARCHSTORE s g FROMLONLAT 0 0 BYRADIUS 1 m', ['g del s']],
  ['GEORADIUS none 15 37 200 km STORE s', ['~m keymiss none', 'g del s']],
  ['GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 m', []],
];

for (const [line, announced] of stores) {
  geo(`${line} announces ${announced.join(', ') || 'nothing'}`, () => {
    const context = new CallContext();
    for (const each of setup) call(context, each);
    context.takeAnnounced();
    call(context, line);
    assert.equal(context.takeAnnounced(), announced);
  });
}

geo('stores distances in the unit of the search', () => {
  const context = new CallContext();
  for (const each of setup) call(context, each);
  call(context, 'GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km STOREDIST');
  const expected = ['Catania', '56.4412578701582', 'Palermo', '190.44242984775784'];
  assert.equal(call(context, 'ZRANGE d 0 -1 WITHSCORES'), expected);
});

geo('writes distances as texts have them', () => {
  const into = new Uint8Array(DISTANCE_BYTES_MAX);
  const distances = [
    0,
    0.00004,
    0.00005,
    0.00015,
    0.5,
    9.99995,
    10,
    166_274.1516,
    20_015_115.07,
    1e11,
    1e22,
    NaN,
  ];
  for (const distance of distances) {
    const length = writeDistance(distance, into);
    assert.is(Buffer.from(into.subarray(0, length)).toString(), formatDistance(distance));
  }
});

geo('answers the first of many as it does all of them', () => {
  const context = new CallContext();
  for (let nth = 0; nth < 300; nth += 1) {
    call(
      context,
      `GEOADD many ${String(10 + (nth % 17) / 10)} ${String(50 + (nth % 23) / 10)} m${String(nth)}`,
    );
  }
  for (const order of ['ASC', 'DESC']) {
    const search = `GEOSEARCH many FROMLONLAT 11 51 BYRADIUS 900 km ${order} WITHDIST WITHHASH WITHCOORD`;
    const whole = call(context, search) as unknown[];
    assert.is(whole.length, 300);
    for (const count of [1, 20, 200]) {
      assert.equal(call(context, `${search} COUNT ${String(count)}`), whole.slice(0, count));
    }
  }
});

geo.run();
