/**
 * Settings that no part of this version reads. The table has them, since it describes the product; the
 * server refuses to be told what it cannot do.
 */

import { rowOf, type SettingName, type Settings } from '#config';

export const UNHONOURED: readonly SettingName[] = [
  'scripting.busy-reply-threshold-ms',
  'memory.lazyfree-lazy-eviction',
  'memory.lazyfree-lazy-expire',
  'memory.lazyfree-lazy-server-del',
  'memory.lazyfree-lazy-user-del',
  'memory.lazyfree-lazy-user-flush',
  'tls.port',
  'tls.cert-file',
  'tls.key-file',
  'tls.ca-file',
  'tls.client-certs',
  'replication.primary-port',
  'replication.backlog-size',
  'cluster.coordinator-endpoints',
  'cluster.announce-address',
];

const REASON = 'this version does not have what it is for';

/** Throws when any of them was set to something else than its default, and refuses later changes. */
export function refuseUnhonoured(settings: Settings): void {
  const set = UNHONOURED.filter((name) => !isDefault(settings, name));
  if (set.length > 0) {
    throw new Error(set.map((name) => `${name} cannot be set: ${REASON}`).join('\n'));
  }
  for (const name of UNHONOURED) {
    settings.onChange(name, () => {
      if (!isDefault(settings, name)) throw new Error(REASON);
    });
  }
}

function isDefault(settings: Settings, name: SettingName): boolean {
  const { kind, default: standard } = rowOf(name);
  return kind.format(settings.get(name)) === kind.format(standard);
}
