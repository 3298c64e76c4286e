/** Address under which a primary is told that its replica is reached. */

import type { Settings } from '#config';
import { nodeAddress } from './node-address.ts';

/** Returns the place that the primary is told of. In a cluster it finds by it the replica that is to take its place. */
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

/** The port that a primary is told of: with secured links that of TLS, where there is one. */
function ownPort(settings: Settings): number {
  const isSecure = settings.boolean('tls.replication') && settings.boolean('tls.enabled');
  return settings.number(isSecure ? 'tls.port' : 'server.port');
}
