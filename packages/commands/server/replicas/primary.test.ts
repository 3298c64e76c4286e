import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call } from '../../call.test-helper.ts';
import type { ClientTraffic } from '../../contexts/contexts.ts';
import { contextWithPorts } from '../server.test-helper.ts';

const primary = suite('commands of replicas to their primary');

/** A client that has read all its replies. */
const silent = { client: { traffic: { unsentBytes: 0 } as ClientTraffic } };

const cases: readonly (readonly [line: string, reply: unknown, asked?: readonly string[]])[] = [
  ['REPLCONF', 'OK'],
  ['REPLCONF listening-port 6380 capa eof capa psync2', 'OK'],
  ['REPLCONF capa what-nobody-knows x', '-ERR syntax error'],
  ['REPLCONF capa what-nobody-knows', 'OK'],
  ['REPLCONF listening-port', '-ERR syntax error'],
  ['REPLCONF listening-port x', '-ERR value is not an integer or out of range'],
  ['REPLCONF rdb-only 2', '-ERR value is out of range, must be between 0 and 1'],
  ['REPLCONF rdb-filter-only functions', 'OK'],
  ['REPLCONF rdb-filter-only keys', '-ERR Unsupported rdb-filter-only option: keys'],
  ['REPLCONF nothing 1', '-ERR Unrecognized REPLCONF option: nothing'],
  [
    `REPLCONF ip-address ${'a'.repeat(256)}`,
    '-ERR REPLCONF ip-address provided by replica instance is too long: 256 bytes',
  ],
  ['REPLCONF cluster-node abc', '-ERR REPLCONF cluster-node takes the id of a node'],
  ['REPLCONF ack 5', undefined],
  ['REPLCONF getack *', undefined],
  ['PSYNC ? x', '-ERR value is not an integer or out of range'],
];

for (const [line, reply] of cases) {
  primary(line, () => {
    const { context } = contextWithPorts(silent);
    assert.equal(call(context, line), reply);
  });
}

primary('a replica that takes no end mark is refused only where it wants a part', () => {
  const { context, asked } = contextWithPorts(silent);
  assert.is(call(context, 'PSYNC ? -1'), undefined);
  assert.match(asked[0]!, /"hasEof":false/);
  call(context, 'REPLCONF rdb-filter-only functions');
  assert.is(call(context, 'SYNC'), '-ERR Filtered replica requires EOF capability');
});

primary('who has replies to come is no replica', () => {
  const { context } = contextWithPorts({
    client: { traffic: { unsentBytes: 1 } },
  });
  assert.is(call(context, 'SYNC'), '-ERR SYNC and PSYNC are invalid with pending output');
});

primary('what a replica tells of itself is known when it asks for the stream', () => {
  const { context, asked } = contextWithPorts(silent);
  call(context, 'REPLCONF capa eof capa psync2 capa svc-stamps listening-port 6380 version 7.4.1');
  assert.is(call(context, 'PSYNC abc 7'), 'CONTINUE abc');
  assert.is(call(context, 'PSYNC ? -1'), undefined);
  call(context, 'SYNC');
  assert.match(
    asked[0]!,
    /^resume "abc" 7 .*"listeningPort":6380.*"hasEof":true.*"hasStamps":true.*"version":"7.4.1"/,
  );
  assert.match(asked[1]!, /^resume "\?" -1/);
  assert.match(asked[2]!, /^full/);
});

primary('acknowledgements of a replica are taken, with what it has on disk', () => {
  const { context, asked } = contextWithPorts({
    client: { ...silent.client, roles: { isReplica: true } },
  });
  assert.is(call(context, 'REPLCONF ACK 70'), undefined);
  assert.is(call(context, 'REPLCONF ACK 80 FACK 60'), undefined);
  assert.is(call(context, 'REPLCONF ACK x'), undefined);
  assert.equal(asked, ['acknowledge 70 0', 'acknowledge 80 60']);
});

primary.run();
