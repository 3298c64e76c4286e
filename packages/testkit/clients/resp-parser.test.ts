import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withRandom } from '../random.ts';
import { Push, ReplyError, RespParser, Verbatim, type Reply } from './resp-parser.ts';

const parser = suite('resp parser');

const cases: readonly (readonly [wire: string, reply: Reply])[] = [
  ['+OK\r\n', 'OK'],
  ['+\r\n', ''],
  [':-42\r\n', -42],
  [':9223372036854775807\r\n', 9223372036854775807n],
  ['$5\r\na\r\nbc\r\n', 'a\r\nbc'],
  ['$0\r\n\r\n', ''],
  ['$-1\r\n', null],
  ['*-1\r\n', null],
  ['*0\r\n', []],
  ['*2\r\n*1\r\n:1\r\n$1\r\nx\r\n', [[1], 'x']],
  ['_\r\n', null],
  ['#t\r\n', true],
  ['#f\r\n', false],
  [',3.25\r\n', 3.25],
  [',inf\r\n', Infinity],
  [',-inf\r\n', -Infinity],
  [
    '(3492890328409238509324850943850943825024385\r\n',
    3492890328409238509324850943850943825024385n,
  ],
  ['=8\r\ntxt:abcd\r\n', new Verbatim('txt', 'abcd')],
  ['~2\r\n:1\r\n:2\r\n', new Set([1, 2])],
  ['%1\r\n$1\r\nk\r\n*0\r\n', new Map([['k', []]])],
  ['>2\r\n+message\r\n+hi\r\n', new Push(['message', 'hi'])],
  ['|1\r\n+ttl\r\n:5\r\n+value\r\n', 'value'],
  ['*2\r\n|1\r\n+a\r\n+b\r\n:1\r\n:2\r\n', [1, 2]],
];

function parse(wire: Buffer, cut: (at: number) => number, buffers = false): Reply[] {
  const replies: Reply[] = [];
  const reader = new RespParser((reply) => replies.push(reply), buffers);
  for (let at = 0; at < wire.length;) {
    const end = Math.min(wire.length, at + cut(at));
    reader.push(wire.subarray(at, end));
    at = end;
  }
  return replies;
}

for (const [wire, reply] of cases) {
  parser(`reads ${JSON.stringify(wire)} whole and byte by byte`, () => {
    assert.equal(
      parse(Buffer.from(wire), () => wire.length),
      [reply],
    );
    assert.equal(
      parse(Buffer.from(wire), () => 1),
      [reply],
    );
  });
}

parser('makes errors of both kinds into objects', () => {
  const [simple, blob] = parse(Buffer.from('-WRONGTYPE no\r\n!5\r\nERR a\r\n'), () => 3);
  assert.ok(simple instanceof ReplyError && blob instanceof ReplyError);
  assert.equal([simple.code, simple.message, blob.message], ['WRONGTYPE', 'WRONGTYPE no', 'ERR a']);
});

parser('keeps bytes as bytes when asked', () => {
  const wire = Buffer.from([0x24, 0x32, 0x0d, 0x0a, 0xff, 0x00, 0x0d, 0x0a]);
  const [reply] = parse(wire, () => 8, true);
  assert.ok(Buffer.isBuffer(reply) && reply.equals(Buffer.from([0xff, 0])));
});

parser(
  'reads any sequence however it is cut',
  withRandom((random) => {
    const chosen = Array.from({ length: 300 }, () => random.pick(cases));
    const wire = Buffer.from(chosen.map(([text]) => text).join(''));
    assert.equal(
      parse(wire, () => random.integer(1, 40)),
      chosen.map(([, reply]) => reply),
    );
  }),
);

parser('refuses what is no reply', () => {
  assert.throws(() => parse(Buffer.from('?what\r\n'), () => 100), /not a reply/);
});

parser.run();
