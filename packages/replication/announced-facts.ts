/** Properties that a replica announces to its primary, and its login. */

import { readFileSync } from 'node:fs';
import type { Logger } from '#base';
import { REDIS_VERSION, type Settings } from '#config';
import type { Announced } from './protocol/replica/handshake.ts';
import { announcedPlace } from '#main';

export function announcedDetails(settings: Settings, log: Pick<Logger, 'error'>): Announced {
  return {
    ...announcedPlace(settings),
    user: settings.string('replication.primary-user'),
    password: primaryPassword(settings, log),
    version: REDIS_VERSION,
  };
}

function primaryPassword(settings: Settings, log: Pick<Logger, 'error'>): string {
  const file = settings.string('replication.primary-password-file');
  if (file === '') return settings.string('replication.primary-password');
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch (error) {
    const fields = { file, error: (error as Error).message };
    log.error('replica-password', 'Password file of the primary cannot be read', fields);
    return '';
  }
}
