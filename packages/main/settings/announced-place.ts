/** Address that a replica announces to its primary. */

import type { Settings } from '#config';
import { nodeAddress } from './node-address.ts';

/** Returns the address announced to the primary. In a cluster it is used to find the replica that is to be promoted. */
export function announcedPlace(settings: Settings): { readonly port: number; readonly ip: string } {
  if (settings.boolean('cluster.enabled')) {
    const { host, port, tlsPort } = nodeAddress(settings);
    const isSecure = settings.boolean('tls.replication') && tlsPort > 0;
    return { ip: host, port: isSecure ? tlsPort : port };
  }
  return {
    port: settings.number('replication.announce-port') || ownPort(settings),
    ip: settings.string('replication.announce-ip'),
  };
}

/** Returns the port announced to a primary: with TLS links the TLS port, if there is one. */
function ownPort(settings: Settings): number {
  const isSecure = settings.boolean('tls.replication') && settings.boolean('tls.enabled');
  return settings.number(isSecure ? 'tls.port' : 'server.port');
}
