/**
 * `svc-server probe`: asks the server that runs here with the same settings whether it is ready, as health checks of
 * containers do. It asks over HTTP where that is on, since the ops thread answers while main is busy; otherwise by a PING.
 */

import type { Settings } from '#config';
import { tcpPlaces, tlsOptions, valuesOf } from '#clients';
import { askReadiness, pingReadiness, type HttpPlace } from '#net';

const READY_PATH = '/health/ready';

/** Returns what is printed for a ready server; rejects if it is not ready or not there. */
export async function probe(settings: Settings): Promise<string> {
  // With port 0 the system has chosen one, which only the server's log has.
  const hasHttp = settings.boolean('http.enabled') && settings.number('http.port') > 0;
  try {
    await (hasHttp ? askHttp(settings) : ping(settings));
    return 'ready';
  } catch (error) {
    throw new Error(`not ready: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns a host at which a server that listens on an address can be reached from here. */
function hostOf(bind: string): string {
  const address = bind.replace(/^-/, '').replace(/^\[(.*)\]$/, '$1');
  if (address === '*' || address === '0.0.0.0') return '127.0.0.1';
  return address === '::' || address === '::*' ? '::1' : address;
}

/** Returns the server's own certificate and key, for a server that demands certificates of clients. */
function pairOf(settings: Settings): HttpPlace['tls'] {
  const { certificate = '', key = '' } = tlsOptions(valuesOf(settings)) ?? {};
  return { certificate, key };
}

function askHttp(settings: Settings): Promise<void> {
  return askReadiness({
    host: hostOf(settings.string('http.bind')),
    port: settings.number('http.port'),
    path: READY_PATH,
    tls: settings.boolean('http.tls') ? pairOf(settings) : undefined,
  });
}

function ping(settings: Settings): Promise<void> {
  const { binds, port, tlsPort } = tcpPlaces(valuesOf(settings));
  const isPlain = port > 0;
  return pingReadiness({
    unixSocket: isPlain ? '' : settings.string('server.unix-socket'),
    host: hostOf(binds[0] ?? '127.0.0.1'),
    port: isPlain ? port : tlsPort,
    tls: isPlain ? undefined : pairOf(settings),
  });
}
