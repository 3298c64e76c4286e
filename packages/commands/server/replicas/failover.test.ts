import { errors } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, type CallOptions } from '../../call.test-helper.ts';
import type { ClientTraffic } from '../../contexts/contexts.ts';
import type { ReplicationPort } from '../ports/ports.ts';
import { contextWithPorts } from '../server.test-helper.ts';

const failover = suite('FAILOVER');

const SYNTAX = '-ERR syntax error';
const NOT_INTEGER = '-ERR value is not an integer or out of range';
const NEEDS_MORE =
  '-ERR FAILOVER with force option requires both a timeout and target HOST and IP.';

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['FAILOVER', 'OK'],
  ['FAILOVER TO 10.0.0.1 6380', 'OK'],
  ['FAILOVER TIMEOUT 100 TO 10.0.0.1 6380 FORCE', 'OK'],
  ['FAILOVER ABORT', '-ERR No failover in progress.'],
  ['FAILOVER ABORT TIMEOUT 1', SYNTAX],
  ['FAILOVER TO 10.0.0.1 6380 ABORT', SYNTAX],
  ['FAILOVER TO 10.0.0.1', SYNTAX],
  ['FAILOVER TO 10.0.0.1 x', NOT_INTEGER],
  ['FAILOVER TO 10.0.0.1 6380 TO 10.0.0.1 6380', SYNTAX],
  ['FAILOVER TIMEOUT', SYNTAX],
  ['FAILOVER TIMEOUT x', NOT_INTEGER],
  ['FAILOVER TIMEOUT 0', '-ERR FAILOVER timeout must be greater than 0'],
  ['FAILOVER TIMEOUT -1', '-ERR FAILOVER timeout must be greater than 0'],
  ['FAILOVER TIMEOUT 1 TIMEOUT 1', SYNTAX],
  ['FAILOVER FORCE FORCE', SYNTAX],
  ['FAILOVER FORCE TIMEOUT 100', NEEDS_MORE],
  ['FAILOVER TO 10.0.0.1 6380 FORCE', NEEDS_MORE],
  ['FAILOVER TO 10.0.0.1 6379', '-ERR FAILOVER target HOST and PORT is not a replica.'],
  ['FAILOVER TO 10.0.0.1 6381', '-ERR FAILOVER target replica is not online.'],
];

for (const [line, reply] of cases) {
  failover(line, () => {
    assert.equal(call(contextWithPorts().context, line), reply);
  });
}

function contextWhere(details: Partial<ReplicationPort>, client?: CallOptions['client']) {
  const silent = { traffic: { outputBytes: 0 } as ClientTraffic, ...client };
  const { context, asked } = contextWithPorts({ client: silent });
  const { replication } = context.ports as { replication: ReplicationPort };
  Object.assign(replication, details);
  return { context, asked, replication };
}

const onReplica: Partial<ReplicationPort> = {
  role: { role: 'slave', host: '10.0.0.2', port: 6379, state: 'connected', offset: 7 },
};

failover('the wish is told', () => {
  const { context, asked } = contextWithPorts();
  call(context, 'FAILOVER TO 10.0.0.1 6380 FORCE TIMEOUT 50');
  assert.equal(asked, [
    'failover {"target":{"host":"10.0.0.1","port":6380},"timeoutMs":50,"isForced":true}',
  ]);
});

failover('one that is under way is aborted, and is in the way of another and of REPLICAOF', () => {
  const { context, asked, replication } = contextWhere({});
  Object.assign(replication.failover, { isUnderWay: true });
  assert.is(call(context, 'FAILOVER'), '-ERR FAILOVER already in progress.');
  const refusal = '-ERR REPLICAOF not allowed while failing over.';
  assert.is(call(context, 'REPLICAOF 10.0.0.1 6380'), refusal);
  assert.is(call(context, 'REPLICAOF NO ONE'), refusal);
  assert.is(call(context, 'FAILOVER ABORT'), 'OK');
  assert.equal(asked, ['abort "Failover manually aborted"']);
});

failover('a replica hands nothing over', () => {
  const { context } = contextWhere(onReplica);
  assert.is(call(context, 'FAILOVER'), '-ERR FAILOVER is not valid when server is a replica.');
});

failover('PSYNC FAILOVER makes a replica the primary, if the stream is the one it follows', () => {
  const onPrimary = contextWhere({});
  assert.is(
    call(onPrimary.context, 'PSYNC mine 7 FAILOVER'),
    "-ERR PSYNC FAILOVER can't be sent to a master.",
  );
  const { context, asked } = contextWhere(onReplica);
  assert.is(
    call(context, 'PSYNC other 7 FAILOVER'),
    '-ERR PSYNC FAILOVER replid must match my replid.',
  );
  call(context, 'REPLCONF capa eof');
  assert.is(call(context, 'PSYNC mine 7 FAILOVER'), 'CONTINUE mine');
  assert.is(asked[1], 'takeOver "mine"');
});

failover('nobody follows a server that cannot be followed now', () => {
  const { context } = contextWhere({ syncRefusal: errors.failingOver });
  for (const line of ['PSYNC ? -1', 'SYNC']) {
    assert.is(call(context, line), "-NOMASTERLINK Can't SYNC while failing over");
  }
});

failover('a replica of this server does not choose its primary here', () => {
  const { context } = contextWhere({}, { roles: { isReplica: true } });
  assert.is(
    call(context, 'REPLICAOF 10.0.0.1 6380'),
    '-ERR Command is not valid when client is a replica.',
  );
});

failover('WAIT is for primaries', () => {
  const { context } = contextWhere(onReplica);
  assert.match(String(call(context, 'WAIT 1 0')), /^-ERR WAIT cannot be used with replica inst/);
  assert.match(String(call(context, 'WAITAOF 0 1 0')), /^-ERR WAITAOF cannot be used with repl/);
});

failover.run();
