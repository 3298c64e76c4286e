/**
 * Connections to a server under test: plain ones, or over TLS where `TEST_TLS=1` is in the environment. By it the tests of
 * connections are run over TLS without a word of theirs changed.
 */
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { Certificates, pem, type Pair } from '../tls/certificates.ts';
import { needs } from '../needs.ts';

/** True when servers under test, and their clients, speak TLS; where there are no certificates to be made, they do not. */
export const isSecure = process.env['TEST_TLS'] === '1' && needs('openssl');

/** Address at which a server listens. */
export type Address = { readonly port: number; readonly host?: string } | { readonly path: string };

/** Options of a connection. */
interface DialOptions {
  /** True when the client's side stays open after the server's has ended. */
  readonly allowHalfOpen?: boolean;
  /** True for a connection that `resetSocket` is to break off. */
  readonly canReset?: boolean;
}

/** The plain sockets below those of TLS. */
const below = new WeakMap<net.Socket, net.Socket>();

let known: Certificates | undefined;

/** Certificates of this process, made when they are needed first. */
function certificates(): Certificates {
  if (known !== undefined) return known;
  const made = new Certificates();
  process.on('exit', () => {
    made.remove();
  });
  known = made;
  return made;
}

/** Files of the pair that servers under test have. */
export function serverPair(): Pair {
  return certificates().server;
}

/** Connects, and calls back once bytes can go both ways; what is written before waits. */
export function dial(
  address: Address,
  options: DialOptions = {},
  connected?: () => void,
): net.Socket {
  const place = 'path' in address ? address : { host: '127.0.0.1', ...address };
  if (!isSecure || 'path' in address) return net.connect({ ...place, ...options }, connected);
  const ca = pem(certificates().authority.certificate);
  const secured = { ca, servername: 'localhost', ...options };
  if (options.canReset !== true) return tls.connect({ ...place, ...secured }, connected);
  const socket = net.connect(place);
  // Node ends the process when a handle is reset below TLS; a stream that is none keeps them apart.
  const stream = Duplex.from({ readable: socket, writable: socket });
  const secure = tls.connect({ socket: stream, ...secured }, connected);
  below.set(secure, socket);
  return secure;
}

/** Breaks a connection off with a reset, as a peer that crashes would. */
export function resetSocket(socket: net.Socket): void {
  (below.get(socket) ?? socket).resetAndDestroy();
  // The TLS socket does not notice that the plain one is closed.
  socket.destroy();
}
