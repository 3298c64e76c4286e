/** Fixtures of the tests of DUMP and RESTORE: payloads that were recorded from Redis 7.4.1, and old ziplists. */

/** A payload as hex digits, and what it is. */
interface Recorded {
  readonly name: string;
  readonly encoding: string;
  readonly payload: string;
  readonly settings?: Record<string, number>;
  /** A command that shows the value, and its reply. */
  readonly shows: readonly [line: string, reply: unknown];
}

/** One value of each encoding, as Redis 7.4.1 dumps it. */
export const recorded: readonly Recorded[] = [
  {
    name: 'a stream with groups',
    encoding: 'stream',
    payload:
      '150110000000000000000100000000000000013e3e000000190002010101020181610281620200010201000100010101020105010301000101010301040105010001dffe02040101018163028178020601ff0281ffffffffffffffff05010101020302016781ffffffffffffffff0503020000000000000001000000000000000115122fffa101000001ffffffffffffffff000000000000000515122fffa10100000102016315122fffa101000015122fffa10100000200000000000000010000000000000001ffffffffffffffff0000000000000005016415122fffa1010000ffffffffffffffff000168010181ffffffffffffffff00000c00d910881a0729f972',
    shows: ['XPENDING k g', [2, '1-1', '18446744073709551615-5', [['c', '2']]]],
  },
  {
    name: 'a short string',
    encoding: 'embstr',
    payload: '000568656c6c6f0c00a804ebb69f1ebe43',
    shows: ['GET k', 'hello'],
  },
  {
    name: 'an integer of 8 bits',
    encoding: 'int',
    payload: '00c0fb0c0082b2f2342d0ca121',
    shows: ['GET k', '-5'],
  },
  {
    name: 'an integer of 16 bits',
    encoding: 'int',
    payload: '00c1e8030c0042a7734e40ee292d',
    shows: ['GET k', '1000'],
  },
  {
    name: 'an integer of 32 bits',
    encoding: 'int',
    payload: '00c2a08601000c003a5237909505383d',
    shows: ['GET k', '100000'],
  },
  {
    name: 'an integer that goes as text',
    encoding: 'int',
    payload: '000b31323334353637383930310c00fb386617dd3dfb59',
    shows: ['GET k', '12345678901'],
  },
  {
    name: 'a string whose length takes two bytes',
    encoding: 'raw',
    payload: `004050${'6162'.repeat(40)}0c002f2a2c95e3d804f4`,
    shows: ['GET k', 'ab'.repeat(40)],
  },
  {
    name: 'a HyperLogLog',
    encoding: 'embstr',
    payload: '001b48594c4c01000000000000000000008060f38050b1844bfb80425a0c00542f38c64c63ee00',
    shows: ['STRLEN k', 27],
  },
  {
    name: 'a list in a listpack',
    encoding: 'listpack',
    payload: '120102141400000004008161020101c12c02f290eefe04ff0c000f5a06c6c7979992',
    shows: ['LRANGE k 0 -1', ['a', '1', '300', '-70000']],
  },
  {
    name: 'a list of nodes',
    encoding: 'quicklist',
    payload:
      '1203020d0d0000000200816102816202ff020c0c00000002008163020401ff02090900000001000501ff0c006e6fd75940025149',
    shows: ['LRANGE k 0 -1', ['a', 'b', 'c', '4', '5']],
  },
  {
    name: 'a list with an element as a node',
    encoding: 'quicklist',
    payload: '1201021414000000020088616263646566676809816902ff0c004ae7eb8cfd969729',
    settings: { 'encoding.list-max-listpack-size': 1 },
    shows: ['LRANGE k 0 -1', ['abcdefgh', 'i']],
  },
  {
    name: 'a set of integers',
    encoding: 'intset',
    payload: '0b1404000000030000000100000002000000701101000c004ea3f5c6a1374e1c',
    shows: ['SMEMBERS k', ['1', '2', '70000']],
  },
  {
    name: 'a set in a listpack',
    encoding: 'listpack',
    payload: '140f0f00000003008161028162020301ff0c00b0a81bc5c7f973ce',
    shows: ['SMEMBERS k', ['a', 'b', '3']],
  },
  {
    name: 'a set in a table',
    encoding: 'hashtable',
    payload: '0201046f6e6c790c00aae6f01ef900b321',
    settings: { 'encoding.set-max-listpack-entries': 0 },
    shows: ['SMEMBERS k', ['only']],
  },
  {
    name: 'a sorted set in a listpack',
    encoding: 'listpack',
    payload: '111c1c0000000600816102010181620283322e350481630283696e6604ff0c00a06bea1c12c85dd0',
    shows: ['ZRANGE k 0 -1 WITHSCORES', ['a', '1', 'b', '2.5', 'c', 'inf']],
  },
  {
    name: 'a large sorted set',
    encoding: 'skiplist',
    payload: '0503016200000000000004400161000000000000f03f0163000000000000f0ff0c005152fe4f269b4ec5',
    settings: { 'encoding.zset-max-listpack-entries': 1 },
    shows: ['ZRANGE k 0 -1 WITHSCORES', ['c', '-inf', 'a', '1', 'b', '2.5']],
  },
  {
    name: 'a hash in a listpack',
    encoding: 'listpack',
    payload: '101414000000040081610201018162028374776f04ff0c00cf5e81e51bc8f55b',
    shows: ['HGETALL k', ['a', '1', 'b', 'two']],
  },
  {
    name: 'a hash in a table',
    encoding: 'hashtable',
    payload: '0401016601760c00668477964bac90b5',
    settings: { 'encoding.hash-max-listpack-entries': 0 },
    shows: ['HGETALL k', ['f', 'v']],
  },
  {
    name: 'a hash in a listpack, with a field that ends',
    encoding: 'listpackex',
    payload:
      '1900409452a3030000202000000006008162028374776f04f400409452a30300000981610201010001ff0c00ac6c30eda32bd674',
    shows: ['HPEXPIRETIME k FIELDS 2 a b', [-1, 4_000_000_000_000]],
  },
  {
    name: 'a hash in a table, with a field that ends',
    encoding: 'hashtable',
    payload: '1800409452a30300000101016601760c00f5affb7e93427a82',
    settings: { 'encoding.hash-max-listpack-entries': 0 },
    shows: ['HPEXPIRETIME k FIELDS 1 f', [4_000_000_000_000]],
  },
];

/** A value of that type whose ziplist holds a, 5, 300, -70000, 8 and 2^40, one character per byte. */
export function ziplist(type: number, count = ''): string {
  const head = Buffer.alloc(10);
  const totalBytes = head.length + body.length + 1;
  head.writeUInt32LE(totalBytes, 0);
  head.writeUInt32LE(totalBytes - 1 - entries.at(-1)!.length / 2, 4);
  head.writeUInt16LE(entries.length, 8);
  const text = `${head.toString('latin1')}${body.toString('latin1')}\xff`;
  return `${String.fromCharCode(type)}${count}${String.fromCharCode(text.length)}${text}`;
}

/** Each behind the length of the one before it. */
const entries = ['000161', '03f6', '02c02c01', '04f090eefe', '05fe08', '03e00000000000010000'];
const body = Buffer.from(entries.join(''), 'hex');
