/** Settings of a server as a replica. */

import { bytes, integer, password, text, yesOrNo } from '../kinds.ts';
import { rows } from '../setting.ts';

export const replicaSettings = rows({
  'replication.primary-host': {
    kind: text,
    default: '',
    effect: 'start',
    isPart: true,
    meaning:
      'Host of the primary that this server replicates; empty for none. REPLICAOF changes it.',
  },
  'replication.primary-port': {
    kind: integer({ least: 1, most: 65_535 }),
    default: 6379,
    effect: 'start',
    isPart: true,
    meaning: 'Port of the primary.',
  },
  'replication.primary-user': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'masteruser',
    aliases: ['primaryuser'],
    isSecret: true,
    meaning: 'User name for the login to the primary; empty for the default user.',
  },
  'replication.primary-password': {
    kind: password,
    default: '',
    effect: 'live',
    config: 'masterauth',
    aliases: ['primaryauth'],
    isSecret: true,
    meaning: 'Password for the login to the primary; empty for no login.',
  },
  'replication.primary-password-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning:
      'File with the password for the login to the primary, read for each new link; empty for none.',
  },
  'replication.serve-stale-data': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-serve-stale-data',
    aliases: ['slave-serve-stale-data'],
    meaning: 'Lets a replica without a link to its primary serve its possibly stale data.',
  },
  'replication.discarded-writes-max-bytes': {
    kind: bytes(),
    default: 256 * 1024 ** 2,
    effect: 'live',
    meaning:
      'Size limit of the files with discarded writes of a former primary, in bytes (folder discarded-writes of the data folder); the oldest files are removed first. 0 keeps none.',
  },
  'replication.read-only': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-read-only',
    aliases: ['slave-read-only'],
    meaning: 'Makes a replica refuse writes of clients.',
  },
  'replication.priority': {
    kind: integer({ most: 2_147_483_647 }),
    default: 100,
    effect: 'live',
    config: 'replica-priority',
    aliases: ['slave-priority'],
    meaning: 'Priority by which Sentinel selects a new primary, the lowest first; 0 for never.',
  },
  'replication.announced': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-announced',
    meaning: 'Lets Sentinel report this replica to clients.',
  },
  'replication.announce-ip': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'replica-announce-ip',
    aliases: ['slave-announce-ip'],
    meaning:
      'Address that this replica announces to its primary; empty for the one of its connection.',
  },
  'replication.announce-port': {
    kind: integer({ most: 65_535 }),
    default: 0,
    effect: 'live',
    config: 'replica-announce-port',
    aliases: ['slave-announce-port'],
    meaning: 'Port that this replica announces to its primary; 0 for the one that it listens on.',
  },
  'replication.ignore-maxmemory': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    config: 'replica-ignore-maxmemory',
    aliases: ['slave-ignore-maxmemory'],
    meaning: 'Disables eviction on a replica: the primary enforces maxmemory.',
  },
});
