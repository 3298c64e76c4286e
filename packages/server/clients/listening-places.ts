/** Listening places of the server, as CONFIG SET port and bind move them: new ones are had before the old are left. */

import { configSetFailed, type Settings } from '#config';
import type { Listener } from '#net';

type Pairs = readonly (readonly [name: string, text: string])[];

export class ListeningPlaces {
  readonly listener: Listener;
  readonly #settings: Settings;
  /** One move follows the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(settings: Settings, listener: Listener) {
    this.#settings = settings;
    this.listener = listener;
  }

  /** Does CONFIG SET; a promise where it moves the places first. Throws, or rejects with, a ConfigCommandError. */
  set(pairs: Pairs): Promise<void> | undefined {
    if (!this.#moves(pairs)) {
      this.#settings.configSet(pairs);
      return undefined;
    }
    const move = this.#last.then(() => this.#move(pairs));
    this.#last = move.catch(() => undefined);
    return move;
  }

  #moves(pairs: Pairs): boolean {
    const changes = this.#settings.changesBy(pairs);
    return changes.has('server.port') || changes.has('server.bind');
  }

  async #move(pairs: Pairs): Promise<void> {
    const settings = this.#settings;
    const changes = settings.changesBy(pairs);
    const port = (changes.get('server.port') ?? settings.number('server.port')) as number;
    const binds = (changes.get('server.bind') ?? settings.list('server.bind')) as readonly string[];
    try {
      await this.listener.move(binds, port);
    } catch (error) {
      const { message } = error as Error;
      throw changes.has('server.port')
        ? configSetFailed('port', `Unable to listen on this port: ${message}`)
        : configSetFailed('bind', `Failed to bind to specified addresses: ${message}`);
    }
    settings.configSet(pairs);
  }
}
