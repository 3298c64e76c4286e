/** The first commands of a connection: the login, and the protocol. */

import { connectToPlace, placeText, type ServerPlace } from '#net';
import { commandBytes, ReplyError, ReplyParser, ReplyValues } from '#resp';
import type { Target } from '../options/plan.ts';

type Socket = ReturnType<typeof connectToPlace>;

/** Time for a connection and its greeting, in milliseconds. */
const GREETING_MS_MAX = 10_000;

/** Returns the commands of a greeting. */
export function greetingOf({ login, resp }: Target): readonly (readonly string[])[] {
  return [
    ...(login.length > 0 ? [['AUTH', ...login]] : []),
    ...(resp === 3 ? [['HELLO', '3']] : []),
  ];
}

/** Connects and greets; rejects with the place and the reason. Nothing is read from the socket after that. */
export async function greetedSocket(place: ServerPlace, target: Target): Promise<Socket> {
  const commands = greetingOf(target);
  const socket = connectToPlace(place);
  try {
    await greeted(socket, commands, place.tls !== undefined);
    return socket;
  } catch (error) {
    socket.destroy();
    throw new Error(`${placeText(place)}: ${(error as Error).message}`, { cause: error });
  }
}

function greeted(
  socket: Socket,
  commands: readonly (readonly string[])[],
  isSecure: boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting = commands.length;
    const values = new ReplyValues((reply) => {
      if (reply instanceof ReplyError) reject(reply);
      waiting -= 1;
      if (waiting === 0) done();
    });
    const parser = new ReplyParser(values);
    const taken = (piece: Buffer): void => {
      try {
        parser.takeAll(piece);
      } catch (error) {
        failed(error as Error);
      }
    };
    const failed = (error: Error): void => {
      reject(error);
    };
    const closed = (): void => {
      reject(new Error('the connection was closed'));
    };
    const late = setTimeout(() => {
      reject(new Error(`no answer within ${GREETING_MS_MAX / 1_000} s`));
    }, GREETING_MS_MAX);
    const done = (): void => {
      clearTimeout(late);
      socket.off('data', taken).off('error', failed).off('close', closed).pause();
      // Between two owners an error is no exception: the next one finds the socket closed.
      socket.on('error', () => undefined);
      resolve();
    };
    socket.on('error', failed).on('close', closed);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      if (waiting === 0) {
        done();
        return;
      }
      socket.on('data', taken);
      socket.write(Buffer.concat(commands.map((words) => commandBytes(words))));
    });
  });
}
