/**
 * Handshakes of TLS on sockets that were accepted, no more than a number of them at a time: a further one ends the one that
 * has been under way for longest, so that peers that never finish theirs keep no other one out.
 */

import type { Socket } from 'node:net';
import { createServer, type PeerCertificate, type Server, type TLSSocket } from 'node:tls';
import { systemClock } from '#base';
import { acceptedSocketOf } from '../raw-handle.ts';
import { SessionCache } from './session-cache.ts';
import {
  serverOptions,
  tlsReason,
  type ClientCertificates,
  type TlsOptions,
} from './tls-options.ts';

/** Reasons for which a handshake fails. */
export type TlsFailure =
  | 'timeout'
  | 'closed'
  | 'no-certificate'
  | 'bad-certificate'
  | 'version'
  | 'cipher'
  | 'no-tls'
  | 'limit'
  | 'other';

/** Properties of a secured connection. */
export interface TlsInfo {
  /** As OpenSSL writes it, such as TLSv1.3. */
  readonly version: string;
  /** Name of the cipher in the standards, such as TLS_AES_256_GCM_SHA384. */
  readonly cipher: string;
  /** Common name of the client's certificate; empty without one. */
  readonly commonName: string;
  readonly isResumed: boolean;
}

interface TlsServerEvents {
  secured(socket: TLSSocket, info: TlsInfo): void;
  /** The socket is closed; it is the one that was accepted. */
  failed(failure: TlsFailure, accepted: Socket, error: string): void;
}

export class TlsServer {
  readonly #events: TlsServerEvents;
  readonly #sessions = new SessionCache(() => systemClock.nowUs() / 1_000);
  #options: TlsOptions;
  #server: Server;
  /** Accepted sockets with an unfinished handshake, oldest first. */
  readonly #underWay = new Set<Socket>();

  /** Throws where OpenSSL refuses the options. */
  constructor(options: TlsOptions, events: TlsServerEvents) {
    this.#events = events;
    this.#options = options;
    this.#server = this.#newServer(options);
  }

  /** Sets the options of new connections; existing ones stay unchanged. Throws if OpenSSL refuses the options. */
  update(options: TlsOptions): void {
    this.#server = this.#newServer(options);
    this.#options = options;
    const { areKept, countMax } = options.sessions;
    if (!areKept) this.#sessions.trim(0);
    else if (countMax > 0) this.#sessions.trim(countMax);
  }

  /** Begins the handshake of a socket just accepted. */
  take(socket: Socket): void {
    // Node remembers an address that was asked for; of a peer that has hung up there is none.
    if (socket.remoteAddress === undefined) {
      this.#events.failed('closed', socket, 'the client has hung up');
      socket.destroy();
      return;
    }
    for (const oldest of this.#underWay) {
      if (this.#underWay.size < this.#options.handshakesMax) break;
      this.#underWay.delete(oldest);
      this.#events.failed('limit', oldest, 'too many handshakes are under way');
      oldest.destroy();
    }
    this.#underWay.add(socket);
    this.#server.emit('connection', socket);
  }

  /** Aborts unfinished handshakes; established connections stay. */
  close(): void {
    for (const socket of this.#underWay) socket.destroy();
  }

  /** It listens nowhere: sockets are given to it, each of which ends with one of the two events. */
  #newServer(options: TlsOptions): Server {
    const server = createServer(serverOptions(options));
    server.on('secureConnection', (socket) => {
      this.#underWay.delete(acceptedSocketOf(socket));
      this.#secured(socket, options.clientCertificates);
    });
    server.on('tlsClientError', (error, socket) => {
      const accepted = acceptedSocketOf(socket);
      // One that has made room for another was counted then.
      if (this.#underWay.delete(accepted)) {
        this.#events.failed(failureOf(error), accepted, tlsReason(error));
      }
      socket.destroy();
    });
    const { areKept, seconds, countMax } = options.sessions;
    server.on('newSession', (id: Buffer, session: Buffer, done: () => void) => {
      if (areKept) this.#sessions.add(id, session, seconds, countMax);
      done();
    });
    server.on(
      'resumeSession',
      (id: Buffer, done: (error: null, session: Buffer | null) => void) => {
        done(null, areKept ? this.#sessions.get(id) : null);
      },
    );
    return server;
  }

  #secured(socket: TLSSocket, wanted: ClientCertificates): void {
    const certificate = wanted === 'none' ? undefined : certificateOf(socket);
    const isMissing = wanted === 'required' && certificate === undefined;
    if (isMissing || (certificate !== undefined && !socket.authorized)) {
      const failure = isMissing ? 'no-certificate' : 'bad-certificate';
      const reason = isMissing ? 'no certificate' : String(socket.authorizationError);
      this.#events.failed(failure, acceptedSocketOf(socket), reason);
      socket.destroy();
      return;
    }
    // Not earlier: a peer that ends its side within a handshake has disconnected.
    socket.allowHalfOpen = true;
    this.#events.secured(socket, {
      version: socket.getProtocol() ?? '',
      cipher: socket.getCipher().standardName,
      commonName: commonNameOf(certificate),
      isResumed: socket.isSessionReused(),
    });
  }
}

/** The client's certificate, which it need not have sent. */
function certificateOf(socket: TLSSocket): PeerCertificate | undefined {
  const certificate = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return certificate.subject === undefined ? undefined : (certificate as PeerCertificate);
}

function commonNameOf(certificate: PeerCertificate | undefined): string {
  // A certificate may have several, of which OpenSSL's tools show the last.
  const names = certificate?.subject.CN as string | readonly string[] | undefined;
  return [names ?? []].flat().at(-1) ?? '';
}

const FAILURES: readonly (readonly [error: RegExp, failure: TlsFailure])[] = [
  [/ERR_TLS_HANDSHAKE_TIMEOUT/, 'timeout'],
  [/ECONNRESET|EPIPE/, 'closed'],
  [/NO_SHARED_CIPHER|NO_CIPHER/, 'cipher'],
  [/HTTP_REQUEST|WRONG_VERSION_NUMBER|BAD_RECORD_TYPE|UNKNOWN_PROTOCOL/, 'no-tls'],
  [/UNSUPPORTED_PROTOCOL|VERSION_TOO_|PROTOCOL_VERSION|NO_PROTOCOLS/, 'version'],
  [/CERT|UNKNOWN_CA/, 'bad-certificate'],
];

function failureOf(error: NodeJS.ErrnoException): TlsFailure {
  const code = error.code ?? '';
  return FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? 'other';
}
