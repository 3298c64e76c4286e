/** Users of clients, as commands about connections ask for them. */

import type { AuthenticationPort } from '#commands';
import type { Client } from '#router';
import type { Access } from './access.ts';

export function authenticationPort(access: Access, client: () => Client): AuthenticationPort {
  return {
    get hasPassword() {
      return access.hasPassword;
    },
    isUser: (name) => access.users.get(name) !== undefined,
    login: (name, password, command) => access.login(client(), name, password, command),
  };
}
