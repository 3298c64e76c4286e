/**
 * Questions to a server on this machine whether it is ready, as health checks ask them. The server's certificate is not checked:
 * it is for names by which clients reach the server.
 */

import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { commandBytes, ReplyError } from '#resp';
import { ReplyConnection } from './reply-connection.ts';

/** Time for a connection and for an answer, in milliseconds. */
const ANSWER_MS_MAX = 5_000;
const NO_ANSWER = `no answer within ${ANSWER_MS_MAX / 1_000} s`;

/** Error replies of a ready server to a client that has not logged in, or may not PING. */
const READY_ERRORS = /^(?:NOAUTH|NOPERM) /;

/** Certificate and key in PEM, for a server that demands them of clients; both empty for none. */
interface ClientPair {
  readonly certificate: string;
  readonly key: string;
}

/** The HTTP side of a server. */
export interface HttpPlace {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Present if it is served over TLS. */
  readonly tls: ClientPair | undefined;
}

/** A place at which clients connect: a path of a unix socket, or a host with a port. */
interface ClientPlace {
  readonly unixSocket: string;
  readonly host: string;
  readonly port: number;
  /** Present if the port is one for TLS. */
  readonly tls: ClientPair | undefined;
}

function secureOptions({ certificate, key }: ClientPair): {
  readonly rejectUnauthorized: false;
  readonly cert?: string;
  readonly key?: string;
} {
  const rejectUnauthorized = false;
  return certificate === ''
    ? { rejectUnauthorized }
    : { rejectUnauthorized, cert: certificate, key };
}

/** Requests a path that returns 200 while the server is ready; rejects with the text of any other answer. */
export function askReadiness({ host, port, path, tls }: HttpPlace): Promise<void> {
  const options = { host, port, path, timeout: ANSWER_MS_MAX, agent: false } as const;
  return new Promise((resolve, reject) => {
    const request =
      tls === undefined
        ? requestPlain(options)
        : requestSecure({ ...options, ...secureOptions(tls) });
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(text.trim()));
      });
    });
    request.on('timeout', () => request.destroy(new Error(NO_ANSWER)));
    request.on('error', reject);
    request.end();
  });
}

function connectionTo({ unixSocket, host, port, tls }: ClientPlace): Socket {
  if (unixSocket !== '') return connect({ path: unixSocket });
  if (tls === undefined) return connect({ host, port });
  return connectSecure({ host, port, ...secureOptions(tls) });
}

/** Sends a PING; settles when the server has answered as one that is ready, otherwise rejects. */
export async function pingReadiness(place: ClientPlace): Promise<void> {
  // The place of a unix socket has no port, and one is demanded.
  const port = place.unixSocket === '' ? place.port : 1;
  const open = (): Socket => connectionTo(place);
  const connection = await ReplyConnection.open(place.host, port, ANSWER_MS_MAX, open);
  if (connection === undefined) throw new Error('no connection');
  try {
    await connection.write(commandBytes(['PING']));
    const answer = await connection.reply();
    if (answer.end !== undefined) {
      throw new Error(answer.end === 'timeout' ? NO_ANSWER : 'the connection was closed');
    }
    const { reply } = answer;
    if (reply instanceof ReplyError && !READY_ERRORS.test(reply.message)) throw reply;
  } finally {
    connection.close();
  }
}
