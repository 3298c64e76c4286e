/** Login of a node with the others: the one that replicas have with primaries. */

import { readFileSync } from 'node:fs';
import type { Settings } from '#config';

/** Returns the words of AUTH, none without a password; throws where the file with it cannot be read. */
export function nodeLogin(settings: Settings): readonly string[] {
  const file = settings.string('replication.primary-password-file');
  const password =
    file === ''
      ? settings.string('replication.primary-password')
      : readFileSync(file, 'utf8').trimEnd();
  if (password === '') return [];
  const user = settings.string('replication.primary-user');
  return ['AUTH', ...(user === '' ? [] : [user]), password];
}
