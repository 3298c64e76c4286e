/** Runs the commands that need main only, with every port they may ask for. */

import type { Arguments, Answer, CommandEntry, MainContext } from '#commands';
import { unreachable } from '#base';
import type { OwnedReply, ReplyWriter } from '#resp';
import type { Client, Router } from '#router';

export class MainRunner implements MainContext {
  #router: Router | undefined;
  #client: Client | undefined;
  #reply: ReplyWriter | undefined;

  attach(router: Router): void {
    this.#router = router;
  }

  run(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void {
    this.#client = client;
    this.#reply = reply;
    const { command } = entry;
    if (command.route !== 'onMain') unreachable('main runs only its own commands');
    else command.run(this, args);
  }

  get reply(): ReplyWriter {
    return this.#reply ?? unreachable('a command is being run');
  }

  get client(): Client {
    return this.#client ?? unreachable('a command is being run');
  }

  get nowMs(): number {
    return this.#router?.nowMs ?? 0;
  }

  defer(): Answer {
    return this.#router?.defer(this.client) ?? unreachable('the router is there');
  }
}
