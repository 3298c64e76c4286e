/** Address of the HTTP side as announced to other nodes. */

import type { Settings } from '#config';

const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

/** Returns the address, at the host that the node announces where HTTP is bound everywhere; empty where there is none. */
export function announcedHttp(settings: Settings, announcedHost: string): string {
  const port = settings.number('http.port');
  if (!settings.boolean('http.enabled') || port === 0) return '';
  const bind = settings.string('http.bind');
  const host = EVERYWHERE.has(bind) ? announcedHost : bind;
  const scheme = settings.boolean('http.tls') ? 'https' : 'http';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
