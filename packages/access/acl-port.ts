/** Users as commands see them and change them. */

import type { Selector, User } from '#acl';

import type { AclPort, SelectorDetails, UserDetails } from '#commands';
import type { Settings } from '#config';
import type { Client } from '#router';
import type { Access } from './access.ts';
import { readAcl, writeAcl } from './acl-storage.ts';

const noFile = new Error(
  'This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration.',
);
const notSaved = new Error(
  'There was an error trying to save the ACLs. Please check the server logs for more information',
);

/** Name of the row for all users without their own counts, including deleted ones. No user name contains a space. */
const OTHER_USERS = '(other users)';

export interface AclPortOptions {
  readonly access: Access;
  readonly settings: Settings;
  /** Client whose command is being run. */
  readonly client: () => Client;
  readonly log: { error(event: string, message: string): void };
}

export function aclPort({ access, settings, client, log }: AclPortOptions): AclPort {
  const { users } = access;
  const file = (): string => {
    const name = settings.string('security.acl-file');
    if (name === '') throw noFile;
    return name;
  };
  return {
    get users() {
      return users.all.map(detailsOf);
    },
    user: (name) => {
      const user = users.get(name);
      return user && detailsOf(user);
    },
    setUser: (name, rules) => {
      access.changeFor(client(), () => {
        users.set(name, rules);
      });
    },
    deleteUsers: (names) => access.changeFor(client(), () => users.delete(names)),
    load: async () => {
      const name = file();
      const asker = client();
      const text = await readAcl(name);
      const mistakes = access.changeFor(asker, () => users.load(text, name));
      if (mistakes !== undefined) throw new Error(mistakes);
    },
    save: async () => {
      const name = file();
      try {
        await writeAcl(name, users.fileText);
      } catch (error) {
        log.error('acl-not-saved', `ACL SAVE: ${(error as Error).message}`);
        throw notSaved;
      }
    },
    denialOf: (user, entry, args) => access.denialOf(user, entry, args),
    get denials() {
      return access.log.entries;
    },
    resetDenials: () => {
      access.log.reset();
    },
    counts: () => {
      const { own, others } = access.counts();
      return others === undefined ? own : new Map([...own, [OTHER_USERS, others]]);
    },
  };
}

function detailsOf({ name, rules }: User): UserDetails {
  return {
    name,
    flags: rules.flags,
    limitRules: rules.limitRules,
    passwords: rules.passwords,
    root: selectorDetails(rules.root),
    others: rules.others.map(selectorDetails),
    description: rules.description,
  };
}

function selectorDetails({ commandRules, keyRules, channelRules }: Selector): SelectorDetails {
  return { commandRules, keyRules, channelRules };
}
