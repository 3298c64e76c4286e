/** For tests of MIGRATE: a target that behaves as a test says. */

import net from 'node:net';
import { type Reply, RespParser } from '#testkit';

/**
 * Replies to the commands of one connection: text that is sent, `CUT` for its end, or nothing, for which `answer` can
 * send one later.
 */
type Behaviour = (
  command: readonly string[],
  nth: number,
  answer: (text: string) => void,
) => string | undefined;

export const CUT = '';

export class PlayedTarget {
  /** Commands of each connection, in upper case their names. */
  readonly connections: string[][][] = [];
  readonly port: number;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  private constructor(server: net.Server) {
    this.#server = server;
    this.port = (server.address() as net.AddressInfo).port;
  }

  static async start(behaviour: Behaviour): Promise<PlayedTarget> {
    const server = net.createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = new PlayedTarget(server);
    server.on('connection', (socket) => {
      target.#serve(socket, behaviour);
    });
    return target;
  }

  #serve(socket: net.Socket, behaviour: Behaviour): void {
    const commands: string[][] = [];
    this.connections.push(commands);
    this.#sockets.add(socket);
    // Who is cut off is what is tested.
    socket.on('error', () => undefined);
    const parser = new RespParser((words: Reply) => {
      const command = (words as readonly unknown[]).map(String);
      const answer = behaviour(command, commands.length, (text) => {
        socket.write(text, 'latin1');
      });
      commands.push(command);
      if (answer === CUT) socket.destroy();
      else if (answer !== undefined) socket.write(answer, 'latin1');
    });
    socket.on('data', (bytes) => {
      parser.push(bytes);
    });
  }

  /** Commands of all connections, by name. */
  get names(): readonly (readonly string[])[] {
    return this.connections.map((commands) => commands.map(([name = '']) => name));
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
