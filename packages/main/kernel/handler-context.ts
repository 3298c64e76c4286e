/** Context of command handlers on main: the current command, and the ports of all modules. */

import { unreachable } from '#base';
import type { Arguments, CommandEntry, MainContext } from '#commands';
import type { OwnedReply, ReplyWriter } from '#resp';
import type { Client } from '#router';
import type { MainPorts } from './main-ports.ts';

export class HandlerContext {
  #client: Client | undefined;
  #reply: ReplyWriter | undefined;

  /** Client whose command is being run. */
  get client(): Client {
    return this.#client ?? unreachable('a command is being run');
  }

  get reply(): ReplyWriter {
    return this.#reply ?? unreachable('a command is being run');
  }

  /** Adds ports; a getter among them is asked each time. */
  add(ports: Partial<MainPorts>): void {
    Object.defineProperties(this, Object.getOwnPropertyDescriptors(ports));
  }

  /** Runs a command of main. */
  run(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void {
    this.#client = client;
    this.#reply = reply;
    const { command } = entry;
    if (command.route !== 'onMain') unreachable('main runs only its own commands');
    // The composition of main ends only with all ports (`composition.ts`), and no command comes before that.
    else command.run(this as unknown as MainContext, args);
  }
}
