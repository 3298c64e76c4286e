import { errors } from '#base';
import { Arguments, commandTable } from '#commands';
import type { Client } from '#router';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clients } from '../clients/clients.ts';
import { newGate } from './gate.ts';

const gates = suite('gate of commands');

const client = { isPrimary: false, writes: () => false } as unknown as Client;

gates('commands wait until the server has started, and are told that it loads', () => {
  const now = { isLoaded: false, isStarted: false };
  const clients = { gate: () => undefined, hold: () => undefined } as unknown as Clients;
  const gate = newGate({
    clients,
    isLoaded: () => now.isLoaded,
    isStarted: () => now.isStarted,
    persistence: { durability: undefined },
    replicaRefusal: () => undefined,
    cluster: undefined,
    isBusy: () => false,
    replicas: { lacksReplicas: false },
    tellShards: () => undefined,
    isStale: () => false,
  });
  const judge = (name: string): unknown =>
    gate(client, commandTable.byName(name)!, new Arguments());
  assert.is(judge('PING'), errors.loading);
  assert.is(judge('INFO'), undefined);
  now.isLoaded = true;
  assert.is(judge('PING'), 'wait');
  assert.is(judge('GET'), 'wait');
  assert.is(judge('INFO'), undefined);
  now.isStarted = true;
  assert.is(judge('PING'), undefined);
});

gates.run();
