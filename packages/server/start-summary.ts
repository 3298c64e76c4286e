/** Summary of a start: where the server is, and where its data are. */

import path from 'node:path';
import type { Settings } from '#config';
import { addressText } from '#net';
import { tcpPlaces, valuesOf } from '#clients';

/** The line of the log that ends a start. */
export function startSummary(settings: Settings, shards: number): string {
  const shardWord = shards === 1 ? 'shard' : 'shards';
  const folder = path.resolve(settings.string('persistence.data-dir'));
  const data = settings.boolean('persistence.enabled')
    ? `data in ${folder}`
    : 'nothing is kept on disk';
  const parts = [
    `clients at ${clientPlaces(settings)}`,
    `${shards} ${shardWord}`,
    data,
    ...pages(settings),
  ];
  return `svc is ready: ${parts.join('; ')}`;
}

function clientPlaces(settings: Settings): string {
  const { binds, port, tlsPort } = tcpPlaces(valuesOf(settings));
  const socket = settings.string('server.unix-socket');
  const hosts = binds.map((bind) => bind.replace(/^-/, ''));
  const places = port > 0 ? hosts.map((host) => addressText(host, port)) : [];
  if (tlsPort > 0) places.push(...hosts.map((host) => `${addressText(host, tlsPort)} (TLS)`));
  if (socket !== '') places.push(socket);
  return places.length === 0 ? 'no address' : places.join(', ');
}

function pages(settings: Settings): readonly string[] {
  // With port 0 the system chooses one, which the line `http-listening` has.
  if (!settings.boolean('http.enabled') || settings.number('http.port') === 0) return [];
  const address = addressText(settings.string('http.bind'), settings.number('http.port'));
  const scheme = settings.boolean('http.tls') ? 'https' : 'http';
  return [`pages at ${scheme}://${address}/debug/`];
}
