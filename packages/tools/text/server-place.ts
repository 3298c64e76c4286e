/** A way to a server, as the options of a tool give it. */

import type { readSubcommand } from '#config';
import { readAddress, readLogin, readToolTls, type ReplyClient } from '#net';

export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  /** Command that logs in; empty without a login. */
  readonly login: readonly string[];
  readonly tls: ConstructorParameters<typeof ReplyClient>[2];
}

/** Reads --address, the login and the options of TLS; throws an Error that names the mistake. */
export function readPlace(given: ReturnType<typeof readSubcommand>): ServerPlace {
  return {
    ...readAddress(given.text('address')),
    login: readLogin(given),
    tls: readToolTls(given),
  };
}
