/** Lines of INFO about the places that clients can connect to. */

import type { Settings } from '#config';
import { tcpPlaces, valuesOf } from '#clients';
import type { Line } from './info-lines.ts';

/** Port of plain connections, or without one, of TLS connections, as in Redis. */
export function tcpPort(settings: Settings): Line {
  const { port, tlsPort } = tcpPlaces(valuesOf(settings));
  return ['tcp_port', port > 0 ? port : tlsPort];
}

/** Lines for each kind of listener, numbered as in Redis. */
export function listeners(settings: Settings): readonly Line[] {
  const { binds, port, tlsPort } = tcpPlaces(valuesOf(settings));
  const socket = settings.string('server.unix-socket');
  const addresses = binds.map((bind) => `bind=${bind},`).join('');
  return [
    ...(port > 0 ? [['listener0', `name=tcp,${addresses}port=${port}`] as const] : []),
    ...(socket === '' ? [] : [['listener1', `name=unix,bind=${socket}`] as const]),
    ...(tlsPort > 0 ? [['listener2', `name=tls,${addresses}port=${tlsPort}`] as const] : []),
  ];
}
