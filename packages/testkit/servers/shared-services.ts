/**
 * Programs that the test runner starts once for a whole run, when a test first asks for them: an etcd, a browser.
 *
 * A test that is run by itself finds no runner, and starts what it needs.
 */
import net from 'node:net';

/** Name of the environment variable with the path of the runner's socket. */
export const SERVICES_VARIABLE = 'TEST_SERVICES';

/** Services that a runner offers. */
export type ServiceName = 'etcd' | 'browser';

/** Endpoint of a service, or nothing when no runner offers it. Throws when the runner failed to start it. */
export function sharedService(name: ServiceName): Promise<string | undefined> {
  const place = process.env[SERVICES_VARIABLE];
  if (place === undefined) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(place, () => socket.end(`${name}\n`));
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => (text += piece));
    socket.on('error', reject);
    socket.on('close', () => {
      const endpoint = text.trim();
      if (endpoint.startsWith('error ')) reject(new Error(`${name}: ${endpoint.slice(6)}`));
      else resolve(endpoint === '' ? undefined : endpoint);
    });
  });
}
