/** Options of the connection to the coordinator, from the settings. */

import { readFileSync } from 'node:fs';
import type { Settings } from '#config';
import type { EtcdOptions } from '../agreement/coordinator/etcd-coordinator.ts';
import type { EtcdTls } from '../agreement/coordinator/etcd-connection.ts';

/** Longest wait for the coordinator, as a share of a lease's life. */
const ANSWER_SHARE = 0.25;

/** Returns the options of the coordinator; throws an error about invalid settings, or files that they name. */
export function coordinatorOptions(settings: Settings): EtcdOptions {
  // Etcd's own tools have commas between them.
  const words = settings.get('cluster.coordinator-endpoints');
  const endpoints = words.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const password =
    settings.string('cluster.coordinator-password-file') === ''
      ? settings.string('cluster.coordinator-password')
      : fileOf(settings, 'cluster.coordinator-password-file').toString('utf8').trimEnd();
  const answerMs = settings.number('cluster.node-timeout-ms') * ANSWER_SHARE;
  return {
    endpoints,
    cluster: settings.string('cluster.name'),
    username: settings.string('cluster.coordinator-username'),
    password,
    tls: coordinatorTls(settings),
    timeoutMs: answerMs,
  };
}

function coordinatorTls(settings: Settings): EtcdTls | undefined {
  const ca = settings.string('cluster.coordinator-ca-file');
  const cert = settings.string('cluster.coordinator-cert-file');
  const key = settings.string('cluster.coordinator-key-file');
  if (ca === '') {
    if (cert !== '')
      throw new Error('cluster.coordinator-cert-file needs cluster.coordinator-ca-file');
    return undefined;
  }
  if ((cert === '') !== (key === '')) {
    throw new Error('cluster.coordinator-cert-file and -key-file belong together');
  }
  return {
    ca: fileOf(settings, 'cluster.coordinator-ca-file'),
    ...(cert === ''
      ? {}
      : {
          cert: fileOf(settings, 'cluster.coordinator-cert-file'),
          key: fileOf(settings, 'cluster.coordinator-key-file'),
        }),
  };
}

type FileName = `cluster.coordinator-${'password' | 'ca' | 'cert' | 'key'}-file`;

function fileOf(settings: Settings, name: FileName): Buffer {
  try {
    return readFileSync(settings.string(name));
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Settings of replicas: which never take the primary's place, and which stay when others lack some. */
export function replicaPolicy(settings: Settings) {
  return {
    noFailover: () => settings.boolean('cluster.replica-no-failover'),
    migrationBarrier: () =>
      settings.boolean('cluster.allow-replica-migration')
        ? settings.number('cluster.migration-barrier')
        : undefined,
  };
}
