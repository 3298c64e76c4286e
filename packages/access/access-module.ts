/** Users as a module of main. */

import { type Composed, type HandlerContext, MainModule } from '#main';
import type { Access } from './access.ts';
import { aclPort, type AclPortOptions } from './acl-port.ts';
import { authenticationPort } from './authentication-port.ts';
import type { ConnectedClients } from './connected-clients.ts';
import { usersDocument } from './users-document.ts';

interface AccessModuleOptions extends Omit<AclPortOptions, 'client'> {
  readonly access: Access;
  readonly connected: Pick<ConnectedClients, 'all'>;
  readonly modules: { readonly handlers: Pick<HandlerContext, 'client'> };
}

export function accessModule(
  options: AccessModuleOptions,
): Composed<object, 'authentication' | 'acl', 'users'> {
  const { access, connected, modules } = options;
  const client = () => modules.handlers.client;
  const module = new MainModule({
    name: 'access',
    hooks: {
      tick: (nowMs) => {
        access.tick(nowMs);
      },
    },
    ports: {
      authentication: authenticationPort(access, client),
      acl: aclPort({ ...options, client }),
    },
    answers: { users: ({ count }) => usersDocument(access, connected.all, count) },
  });
  return { module, parts: {} };
}
