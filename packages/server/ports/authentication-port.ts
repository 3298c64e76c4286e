/** The password of the default user. */

import { timingSafeEqual, createHash } from 'node:crypto';
import type { AuthenticationPort } from '#commands';
import type { Settings } from '#config';

export function authenticationPort(settings: Settings): AuthenticationPort {
  const password = (): string => settings.string('security.requirepass');
  return {
    get isRequired() {
      return password() !== '';
    },
    accepts: (user, attempt) => {
      // Hashes have one length, so the time says nothing about the password's.
      const same = timingSafeEqual(digest(password()), digest(attempt));
      return user === 'default' && (password() === '' || same);
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}
