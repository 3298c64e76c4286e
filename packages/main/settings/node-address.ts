/** Address by which other nodes and clients reach this one. */

import { networkInterfaces } from 'node:os';
import type { Settings } from '#config';

const EVERYWHERE = new Set(['0.0.0.0', '::', '*', '']);
const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** Address of a server as others use it; a port is 0 where there is none. */
interface NodeAddress {
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  /** Empty where none is announced. */
  readonly hostname: string;
  readonly nodename?: string;
  /** Missing without an availability zone. */
  readonly zone?: string;
}

/** Settings of what a node announces of itself. */
const ANNOUNCED = [
  'cluster.announce-address',
  'cluster.announce-port',
  'cluster.announce-tls-port',
  'cluster.announce-hostname',
  'cluster.announce-human-nodename',
  'server.availability-zone',
] as const;

/** Makes the node publish announced properties again when their settings change. */
export function readdressOnChange(settings: Settings, node: { readdress(): Promise<void> }): void {
  for (const name of ANNOUNCED) {
    settings.onChange(name, () => {
      void node.readdress();
    });
  }
}

export function nodeAddress(settings: Settings): NodeAddress {
  const isSecure = settings.boolean('tls.enabled');
  const tlsPort = isSecure ? settings.number('tls.port') : 0;
  const zone = settings.string('server.availability-zone');
  const nodename = settings.string('cluster.announce-human-nodename');
  return {
    host: settings.string('cluster.announce-address') || boundAddress(bindsOf(settings)),
    port: settings.number('cluster.announce-port') || settings.number('server.port'),
    tlsPort: settings.number('cluster.announce-tls-port') || tlsPort,
    hostname: settings.string('cluster.announce-hostname'),
    ...(nodename === '' ? {} : { nodename }),
    ...(zone === '' ? {} : { zone }),
  };
}

function bindsOf(settings: Settings): readonly string[] {
  return settings.get('server.bind');
}

/** An address of this machine that others reach, where one is bound. */
function boundAddress(binds: readonly string[]): string {
  const plain = binds.map((bind) => bind.replace(/^-/, ''));
  const reachable = plain.find((bind) => !EVERYWHERE.has(bind) && !LOOPBACK.test(bind));
  if (reachable !== undefined) return reachable;
  if (!plain.some((bind) => EVERYWHERE.has(bind))) return plain[0] ?? '127.0.0.1';
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return found?.address ?? '127.0.0.1';
}
