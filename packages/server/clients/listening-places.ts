/** Listening places of the server, as CONFIG SET port and bind move them: new ones are had before the old are left. */

import { configSetFailed, type Settings } from '#config';
import type { Listener } from '#net';
import type { LateChange, SettingChanges } from '../ports/late-settings.ts';

export class ListeningPlaces implements LateChange {
  readonly listener: Listener;
  readonly #settings: Settings;

  constructor(settings: Settings, listener: Listener) {
    this.#settings = settings;
    this.listener = listener;
  }

  concerns(changes: SettingChanges): boolean {
    return changes.has('server.port') || changes.has('server.bind');
  }

  async make(changes: SettingChanges): Promise<() => Promise<void>> {
    const settings = this.#settings;
    const [oldPort, oldBinds] = [settings.number('server.port'), settings.list('server.bind')];
    const port = (changes.get('server.port') ?? oldPort) as number;
    const binds = (changes.get('server.bind') ?? oldBinds) as readonly string[];
    try {
      await this.listener.move(binds, port);
    } catch (error) {
      const { message } = error as Error;
      throw changes.has('server.port')
        ? configSetFailed('port', `Unable to listen on this port: ${message}`)
        : configSetFailed('bind', `Failed to bind to specified addresses: ${message}`);
    }
    return () => this.listener.move(oldBinds, oldPort);
  }
}
