/** Places: every command, every error, and numbers as Redis has them. */
import { call, CallContext } from '../call.test-helper.ts';
import { DISTANCE_BYTES_MAX, formatDistance, writeDistance } from './distance.ts';
import { isInside } from './polygon.ts';
import { Random } from '#testkit';
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

/** Places in Sydney and around the world, and polygons, of Valkey's own tests. */
const SYDNEY = [
  '151.20932132005692 -33.877723137822436 elizabeth',
  '151.2119820713997 -33.87697539508043 liverpool',
  '151.2119820713997 -33.87156123068408 james',
  '151.2229523062706 -33.883973760201364 oxford',
  '151.22852593660355 -33.88116782387797 goodhope',
  '151.2224105000496 -33.87544442350019 cross',
  '151.22953444719315 -33.874838625143106 oval',
].join(' ');
const WORLD = [
  '-68.8798275589943 -44.61362078872198 chubut -63.42572718858719 -28.2735053489472 pozo',
  '-100.691137611866 24.238865478290585 noria -118.6207178235054 43.85981245898269 harney',
  '-121.43320173025131 51.857438167842574 hache -79.07508105039597 37.97053232436472 stuarts',
  '-0.1308193802833557 51.652445128802185 trent -44.97371703386307 64.60993716062175 greenland',
  '17.252480685710907 -21.646808926327388 namibia 35.04182428121567 -6.304554908397684 mwandila',
  '120.61124950647354 -27.712320618990717 samuel 145.04961222410202 -32.22031713143272 kulwin',
  '3.5416236519813538 26.716565550429046 salah 13.330726325511932 38.111391848631506 palermo',
  '34.81671720743179 32.05908351848717 korazin 74.56694215536118 14.589623066168919 yana',
  '11.964205205440521 57.70702963854761 gothenburg 106.83230191469193 15.117455935110826 soak',
  '90.02549439668655 39.614491635004136 lopnur 118.27697664499283 26.579067066419547 fujian',
  '118.27697664499283 36.02277454389389 shandong',
].join(' ');
const BENT =
  'BYPOLYGON 11 151.21619137411474 -33.869643764947696 151.20408853981647 ' +
  '-33.87845382042545 151.2123775086366 -33.87864711938855 151.21046943124387 ' +
  '-33.87588862400425 151.21701035939626 -33.874286511854834 151.2239557405701 ' +
  '-33.8735722632175 151.22495056246407 -33.87893571656996 151.2274447496748 ' +
  '-33.882307713036354 151.23212935868654 -33.88136096120022 151.23097291274465 ' +
  '-33.87456240592362 151.22475424781445 -33.87099633192101';
const STAR =
  'BYPOLYGON 5 151.2154285314146 -33.867438205607186 151.20024487595015 -33.88138572784347 ' +
  '151.2374118848648 -33.87601765283626 151.19695829592922 -33.87272872054441 ' +
  '151.2278336546125 -33.88345323146266';
const AROUND =
  'BYPOLYGON 33 -146.20062130262065 51.130912386593 -103.26379152330803 49.47193779943357 ' +
  '-63.315654670518995 50.93884489468163 -95.40642417874389 39.65534094349885 ' +
  '-77.4999298453865 26.73672845329922 -51.87745194229085 23.04646540450935 ' +
  '-8.42920299630615 41.60520661073045 -10.521785859954813 61.47846964761324 ' +
  '2.124111965940925 60.778434760758095 18.481092483619292 53.09061572914368 ' +
  '38.70573141092903 45.73303292470514 22.02205974562196 34.2426280008694 52.57520291900751 ' +
  '22.953137594767274 75.72278884992889 29.362381850764695 90.74676219754886 ' +
  '31.63413660453445 107.30623758289035 35.851039511158085 115.40629273520966 ' +
  '30.411873608761567 120.01593165018451 29.841092929180927 120.4535153988606 ' +
  '25.65037857240954 121.27924547967872 11.602225617909395 135.1015103851442 ' +
  '-16.60585394490754 129.87136213636785 -27.170064645188177 99.53888837265143 ' +
  '-26.498354216857965 37.56438677364021 -27.832463377991818 31.562753892887216 ' +
  '-13.63096249674378 20.629919303178035 9.515486567597444 11.209492263565085 ' +
  '32.02725659471969 5.4325413537034 35.55125756355285 -35.244014834951145 ' +
  '16.982781656720274 -75.35489645024853 11.812375133773651 -94.03343867618196 ' +
  '28.67577744862069 -124.16269338003593 36.64849855935148 -143.36084887326555 ' +
  '42.51835490888078';
const TRIANGLE = 'BYPOLYGON 3 151 -34 152 -34 151 -33';
const tooFew = '-ERR GEOSEARCH BYPOLYGON must have at least 3 vertices';

const polygons: Case = [
  [`GEOSEARCH p ${BENT}`, ['goodhope', 'oval', 'elizabeth']],
  [
    `GEOSEARCH p ${BENT} WITHDIST DESC`,
    [
      ['elizabeth', '1035.7735'],
      ['goodhope', '929.4979'],
      ['oval', '858.3013'],
    ],
  ],
  [`GEOSEARCH p ${BENT} ASC COUNT 1`, ['oval']],
  [`GEOSEARCH p ${STAR}`, ['elizabeth', 'james', 'cross']],
  [`GEOSEARCH w ${AROUND}`, ['palermo', 'yana', 'soak', 'fujian', 'mwandila', 'harney', 'trent']],
  [`GEOSEARCHSTORE d p ${BENT} ASC STOREDIST COUNT 2`, 2],
  ['ZRANGE d 0 -1', ['oval', 'goodhope']],
  [`GEOSEARCHSTORE d p ${BENT}`, 3],
  [`GEOSEARCH d ${BENT} ASC`, ['oval', 'goodhope', 'elizabeth']],
  [`GEOSEARCH none ${TRIANGLE}`, []],
  [`GEOSEARCH s ${TRIANGLE}`, wrongType],
  [`GEOSEARCHSTORE d none ${TRIANGLE}`, 0],
  ['EXISTS d', 0],
  ['GEOSEARCH p BYPOLYGON 2 151 -34 152 -33', tooFew],
  ['GEOSEARCH p BYPOLYGON 3 151 -34 152 -33', tooFew],
  ['GEOSEARCH p BYPOLYGON 1000000000000000 151 -34 152 -33 151 -33', tooFew],
  ['GEOSEARCH p BYPOLYGON -3 151 -34 152 -33 151 -33', tooFew],
  ['GEOSEARCH p BYPOLYGON x 151 -34 152 -33 151 -33', '-ERR invalid number of vertices'],
  ['GEOSEARCH p BYPOLYGON 3 151 -34 152 x 151 -33', notFloat],
  [
    'GEOSEARCH p BYPOLYGON 3 151 -34 152 -88 151 -33',
    '-ERR invalid longitude,latitude pair 152.000000,-88.000000',
  ],
  [`GEOSEARCH p ${TRIANGLE} BYBOX 400 400 km`, syntax],
  [`GEOSEARCH p BYBOX 400 400 km ${TRIANGLE}`, syntax],
  [`GEOSEARCH p BYRADIUS 500 km ${TRIANGLE}`, syntax],
  [`GEOSEARCH p ${TRIANGLE} FROMLONLAT 151 -33`, syntax],
  [`GEOSEARCH p ${TRIANGLE} FROMMEMBER oval`, syntax],
  [`GEOSEARCH p FROMMEMBER oval ${TRIANGLE}`, syntax],
  [`GEOSEARCH p ${TRIANGLE} ${TRIANGLE}`, syntax],
  [
    `GEOSEARCHSTORE d p ${TRIANGLE} WITHDIST`,
    '-ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options',
  ],
];

geo('searches in polygons', () => {
  const context = new CallContext();
  for (const line of [`GEOADD p ${SYDNEY}`, `GEOADD w ${WORLD}`, 'SET s x']) call(context, line);
  for (const [line, reply] of polygons) assert.equal(call(context, line), reply, line);
});

geo('finds in polygons of any size and place what is in them', () => {
  const random = new Random(3);
  const context = new CallContext();
  const places = Array.from({ length: 400 }, (_, nth) => {
    const place = {
      longitude: random.fraction() * 360 - 180,
      latitude: random.fraction() * 170 - 85,
    };
    call(context, `GEOADD all ${place.longitude} ${place.latitude} m${nth}`);
    const [[longitude, latitude]] = call(context, `GEOPOS all m${nth}`) as [[string, string]];
    return { name: `m${nth}`, longitude: Number(longitude), latitude: Number(latitude) };
  });
  for (let round = 0; round < 300; round += 1) {
    const { longitude, latitude } = random.pick(places);
    const size = random.pick([0.5, 10, 90, 360]);
    const vertices = Array.from({ length: random.integer(3, 8) }, () => ({
      longitude: clamped(longitude + (random.fraction() - 0.5) * size, 180),
      latitude: clamped(latitude + (random.fraction() - 0.5) * size, 85),
    }));
    const words = vertices.map((each) => `${each.longitude} ${each.latitude}`).join(' ');
    const found = call(context, `GEOSEARCH all BYPOLYGON ${vertices.length} ${words}`) as string[];
    const wanted = places.filter((place) => isInside(vertices, place)).map(({ name }) => name);
    assert.equal(found.toSorted(), wanted.toSorted(), words);
  }
});

function clamped(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

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
