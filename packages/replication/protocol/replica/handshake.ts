/** Questions of a replica before it asks for data, each of which the primary answers with a reply. */

import { STAMP_CAPABILITY } from '../stamps.ts';

/** Properties that a replica announces, and its login. */
export interface Announced {
  /** Port at which clients reach it. */
  readonly port: number;
  /** Address at which they do, where the primary cannot see it. */
  readonly ip: string;
  /** Empty: the user `default`. */
  readonly user: string;
  /** Empty: it does not log in. */
  readonly password: string;
  /** Version of Redis whose snapshots and commands it knows. */
  readonly version: string;
  /** Id of this node in its cluster; absent or empty outside of one. */
  readonly nodeId?: string;
  /** Move of slots for which it follows; absent for a replica. */
  readonly slotMigration?: string;
}

export interface Question {
  readonly words: readonly string[];
  /** True when the handshake ends with such an error. */
  isNeeded(error: string): boolean;
  /** Takes the answer, which is a text; undefined where it is an error. */
  readonly takes?: (answer: string | undefined) => void;
}

const always = (): boolean => true;
const never = (): boolean => false;
/** Errors of PING that only say that a login is due. */
const LOGIN_DUE = /^(NOAUTH|NOPERM|ERR operation not permitted)/;

/** Request for the history of the primary's stream. */
export function pastQuestion(takes: (answer: string | undefined) => void): Question {
  return { words: ['INFO', 'replication'], isNeeded: never, takes };
}

export function handshake(announced: Announced): Question[] {
  const { port, ip, user, password, version, nodeId = '', slotMigration } = announced;
  const questions: Question[] = [{ words: ['PING'], isNeeded: (error) => !LOGIN_DUE.test(error) }];
  if (password !== '') {
    const words = user === '' ? ['AUTH', password] : ['AUTH', user, password];
    questions.push({ words, isNeeded: always });
  }
  const words = [
    ['listening-port', String(port)],
    ...(ip === '' ? [] : [['ip-address', ip]]),
    ['capa', 'eof', 'capa', 'psync2', 'capa', STAMP_CAPABILITY],
    ['version', version],
    ...(nodeId === '' ? [] : [['cluster-node', nodeId]]),
  ];
  for (const pair of words) questions.push({ words: ['REPLCONF', ...pair], isNeeded: never });
  if (slotMigration !== undefined) {
    questions.push({ words: ['REPLCONF', 'slot-migration', slotMigration], isNeeded: always });
  }
  return questions;
}
