/** Settings of a server as a replica. */

import { bytes, integer, password, text, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

export const replicaSettings = rows({
  'replication.primary-host': {
    kind: text,
    default: '',
    effect: 'start',
    isPart: true,
    meaning: 'Server whose data are kept here too; empty for none. REPLICAOF changes it.',
  },
  'replication.primary-port': {
    kind: integer({ least: 1, most: 65_535 }),
    default: 6379,
    effect: 'start',
    isPart: true,
    meaning: 'Port of that server.',
  },
  'replication.primary-user': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'masteruser',
    aliases: ['primaryuser'],
    isSecret: true,
    meaning: 'User as which a replica logs in to its primary; empty for the default user.',
  },
  'replication.primary-password': {
    kind: password,
    default: '',
    effect: 'live',
    config: 'masterauth',
    aliases: ['primaryauth'],
    isSecret: true,
    meaning: 'Password with which a replica logs in to its primary; empty for no login.',
  },
  'replication.primary-password-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'File with that password, which is read whenever a link is made; empty for none.',
  },
  'replication.serve-stale-data': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-serve-stale-data',
    aliases: ['slave-serve-stale-data'],
    meaning: 'Lets a replica without a link to its primary answer from the data that it has.',
  },
  'replication.discarded-writes-max-bytes': {
    kind: bytes(),
    default: 256 * 1024 ** 2,
    effect: 'live',
    meaning:
      'Bytes of files with writes that a former primary had taken and had to discard, in discarded-writes of the data folder; the oldest files are removed beyond it. 0 keeps none.',
  },
  'replication.read-only': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-read-only',
    aliases: ['slave-read-only'],
    meaning: 'Has a replica refuse writes of clients.',
  },
  'replication.priority': {
    kind: integer({ most: 2_147_483_647 }),
    default: 100,
    effect: 'live',
    config: 'replica-priority',
    aliases: ['slave-priority'],
    meaning: 'Rank by which Sentinel chooses a new primary, the lowest first; 0 for never.',
  },
  'replication.announced': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-announced',
    meaning: 'Has Sentinel tell clients of this replica.',
  },
  'replication.announce-ip': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'replica-announce-ip',
    aliases: ['slave-announce-ip'],
    meaning: 'Address that a primary is told of its replica; empty for the one that it sees.',
  },
  'replication.announce-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    config: 'replica-announce-port',
    aliases: ['slave-announce-port'],
    meaning: 'Port that a primary is told of its replica; 0 for the one that it listens on.',
  },
  'replication.ignore-maxmemory': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-ignore-maxmemory',
    aliases: ['slave-ignore-maxmemory'],
    meaning: 'Leaves it to the primary to keep within maxmemory.',
  },
});
