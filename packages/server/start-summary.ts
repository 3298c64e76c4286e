/** Summary of a start: where the server is, and where its data are. */

import path from 'node:path';
import type { Settings } from '#config';
import { addressText } from '#net';

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
  const port = settings.number('server.port');
  const socket = settings.string('server.unix-socket');
  const tcp = port > 0 ? settings.list('server.bind') : [];
  const places = tcp.map((bind) => addressText(bind.replace(/^-/, ''), port));
  if (socket !== '') places.push(socket);
  return places.length === 0 ? 'no address' : places.join(', ');
}

function pages(settings: Settings): readonly string[] {
  if (!settings.boolean('http.enabled')) return [];
  const address = addressText(settings.string('http.bind'), settings.number('http.port'));
  return [`pages at http://${address}/debug/`];
}
