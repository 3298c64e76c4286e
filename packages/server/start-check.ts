/** Faults of a configuration that only the machine knows: addresses, sockets and folders that a start could not have. */

import type { Settings } from '#config';
import { demandPlaces } from '#net';
import { DataFolder, demandUsableFolder } from '#persistence';
import { tcpPlaces, tlsOptions, valuesOf } from '#clients';
import { demandCluster } from '#cluster';
import { demandUsers } from '#access';

/** Rejects with the message of the start that would fail. Nothing is changed, and a server may run there meanwhile. */
export async function demandStart(settings: Settings): Promise<void> {
  demandUsers(settings);
  demandCluster(settings);
  tlsOptions(valuesOf(settings));
  await demandPlaces({
    ...tcpPlaces(valuesOf(settings)),
    unixSocket: settings.string('server.unix-socket'),
  });
  if (settings.boolean('http.enabled')) await demandHttpAddress(settings.string('http.bind'));
  if (!settings.boolean('persistence.enabled')) return;
  const folder = settings.string('persistence.data-dir');
  demandUsableFolder(folder);
  // It reads what is there; whether all of it is whole is asked by --check-data.
  new DataFolder(folder);
}

async function demandHttpAddress(bind: string): Promise<void> {
  try {
    await demandPlaces({ binds: [bind], port: 1, tlsPort: 0, unixSocket: '' });
  } catch (error) {
    throw new Error(`http: ${bind} is not an address of this machine; set http.bind`, {
      cause: error,
    });
  }
}
