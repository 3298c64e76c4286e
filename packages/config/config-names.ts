/**
 * The names CONFIG GET and CONFIG SET know, and what each stands for.
 */
import path from 'node:path';
import { constants } from './constants.ts';
import { frontCount } from './front-count.ts';
import { integer, oneOf, ValueError, yesOrNo, type Value } from './kinds.ts';
import { outputLimit, savePoints } from './redis/redis-kinds.ts';
import { configName, rowOf, sectionAndKey, settingNames, type SettingName } from './settings.ts';

/** One change of CONFIG SET. */
export type Assignment = readonly [name: SettingName, value: Value];

/** Target of a name of CONFIG. Aliases share it, so that it is its own identity. */
export interface Target {
  /** The settings after it, the one that it is mostly about first; none of a constant. */
  readonly settings: readonly SettingName[];
  readonly isHidden: boolean;
  readonly isSecret: boolean;
  /** True when CONFIG GET shows a mask, and CONFIG REWRITE alone the value. */
  readonly isMasked: boolean;
  /** True when CONFIG SET can change the value; setting the value it has is always allowed. */
  readonly isLive: boolean;
  /** Reason why only the value shown can be set, with the other settings as they are then; undefined when any can. */
  obstacle?(valueOf: (name: SettingName) => Value): string | undefined;
  read(valueOf: (name: SettingName) => Value): string;
  /** Reads new text; throws a ValueError. A constant has no assignments. */
  assign(text: string): readonly Assignment[];
}

/** Neither hidden nor secret. */
const SHOWN = { isHidden: false, isSecret: false, isMasked: false } as const;

/** The name that has three settings, with its words for them. */
const OUTPUT_LIMITS = 'client-output-buffer-limit';
const LIMIT_CLASSES: readonly (readonly [word: string, name: SettingName])[] = [
  ['normal', 'server.client-output-buffer-limit-normal'],
  ['slave', 'server.client-output-buffer-limit-replica'],
  ['pubsub', 'server.client-output-buffer-limit-pubsub'],
];

/** All names, aliases included, in lower case. */
export const targets: ReadonlyMap<string, Target> = new Map([
  ...settingNames.filter((name) => rowOf(name).isPart !== true).flatMap(settingTargets),
  [OUTPUT_LIMITS, outputLimits()] as const,
  ['appendfsync', appendSync()] as const,
  ['save', saveTarget()] as const,
  ['io-threads', ioThreads()] as const,
  ['io-threads-do-reads', ioThreadsRead()] as const,
  ['tls-port', tlsPort()] as const,
  ...replicaOf(),
  ['tls-auth-clients', tlsClients()] as const,
  ...Object.keys(constants).flatMap(constantTargets),
]);

/** Secrecy by all names that CONFIG knows, in lower case: true for a secret. */
export const secrecyOfNames: ReadonlyMap<string, boolean> = new Map(
  [...targets].map(([name, { isSecret }]) => [name, isSecret]),
);

/** The setting that is meant by a name of Redis, or by a key without its section. */
export function settingLike(word: string): SettingName | undefined {
  const known = targets.get(word.toLowerCase())?.settings[0];
  return known ?? settingNames.find((name) => sectionAndKey(name)[1] === word);
}

function settingTargets(name: SettingName): (readonly [string, Target])[] {
  const row = rowOf(name);
  const target: Target = {
    settings: [name],
    isHidden: row.isHidden === true,
    isSecret: row.isSecret === true,
    isMasked: row.isMasked === true,
    isLive: row.effect === 'live',
    read(valueOf) {
      const text = row.kind.format(valueOf(name));
      return row.isFolder === true ? path.resolve(text) : text;
    },
    assign: (text) => [[name, row.kind.parse(text)]],
  };
  return [configName(name), ...(row.aliases ?? [])].map((word) => [word, target] as const);
}

function constantTargets(name: string): (readonly [string, Target])[] {
  const { value, aliases = [], isHidden = false } = constants[name]!;
  const target: Target = {
    settings: [],
    isHidden,
    isSecret: false,
    isMasked: false,
    isLive: false,
    read: () => value,
    assign: (text) => {
      if (text.toLowerCase() !== value) throw new ValueError("can't set immutable config");
      return [];
    },
  };
  return [name, ...aliases].map((word) => [word, target] as const);
}

/** The target of a setting that Redis has other words for. */
function translated(name: SettingName, modes: Readonly<Record<string, string>>): Target {
  const words = Object.keys(modes);
  const kind = oneOf(...words);
  return {
    settings: [name],
    ...SHOWN,
    isLive: true,
    read: (valueOf) => words.find((word) => modes[word] === valueOf(name)) ?? '',
    assign: (text) => [[name, modes[kind.parse(text)]!]],
  };
}

/** Redis' words for when a write is on disk. */
function appendSync(): Target {
  return translated('persistence.durability-mode', {
    always: 'sync',
    everysec: 'periodic',
    no: 'async',
  });
}

/** Threads that read and write sockets as Redis counts them: main, and those beside it. */
function ioThreads(): Target {
  const name = 'server.front-threads';
  const { kind } = rowOf(name);
  return {
    settings: [name],
    ...SHOWN,
    isLive: false,
    read: (valueOf) => String(1 + frontCount(valueOf(name) as number)),
    assign: (text) => [[name, kind.parse(String(integer({ least: 1 }).parse(text) - 1))]],
  };
}

/** True in Redis' words where they read too, which front threads always do. */
function ioThreadsRead(): Target {
  const name = 'server.front-threads';
  return {
    settings: [name],
    ...SHOWN,
    isLive: false,
    // Redis refuses it too; in a file it is passed over, since which it is follows from the threads there are.
    obstacle: () => "can't set immutable config",
    read: (valueOf) => (frontCount(valueOf(name) as number) > 0 ? 'yes' : 'no'),
    assign(text) {
      yesOrNo.parse(text);
      return [];
    },
  };
}

/** Redis' port of TLS, which is 0 while TLS is off. */
function tlsPort(): Target {
  const [enabled, port] = ['tls.enabled', 'tls.port'] as const;
  const kind = integer({ most: 65_535 });
  return {
    settings: [port, enabled],
    ...SHOWN,
    isLive: true,
    read: (valueOf) => (valueOf(enabled) === true ? String(valueOf(port)) : '0'),
    assign(text) {
      const value = kind.parse(text);
      return value === 0
        ? [[enabled, false]]
        : [
            [enabled, true],
            [port, value],
          ];
    },
  };
}

/** The primary as one directive: its host and its port, or nothing. */
function replicaOf(): (readonly [string, Target])[] {
  const [host, port] = ['replication.primary-host', 'replication.primary-port'] as const;
  const target: Target = {
    settings: [host, port],
    ...SHOWN,
    isLive: false,
    read: (valueOf) => (valueOf(host) === '' ? '' : [valueOf(host), valueOf(port)].join(' ')),
    assign(text) {
      const [name = '', number, ...more] = text.split(' ').filter((word) => word !== '');
      if (name === '') return [[host, '']];
      if (more.length > 0) throw new ValueError('it takes a host and a port');
      // In a file, it ends what a line before has said.
      if (name.toLowerCase() === 'no' && number?.toLowerCase() === 'one') return [[host, '']];
      if (number === undefined) throw new ValueError('it takes a host and a port');
      return [
        [host, name],
        [port, rowOf(port).kind.parse(number)],
      ];
    },
  };
  return ['replicaof', 'slaveof'].map((word) => [word, target] as const);
}

/** Redis' words for whether clients have to show a certificate. */
function tlsClients(): Target {
  return translated('tls.client-certs', { yes: 'required', no: 'none', optional: 'optional' });
}

/**
 * Returns the target of the times of snapshots, as Redis says them: the interval is the point of one change. Without a
 * disk there are none.
 */
function saveTarget(): Target {
  const interval = 'snapshot.interval-secs';
  const points = 'snapshot.save-points';
  return {
    settings: [interval, points],
    ...SHOWN,
    isLive: true,
    obstacle: (valueOf) =>
      valueOf('persistence.enabled') === false
        ? 'nothing is kept on disk: persistence.enabled is off'
        : undefined,
    read(valueOf) {
      if (valueOf('persistence.enabled') === false) return '';
      const seconds = valueOf(interval) as number;
      const others = valueOf(points) as readonly string[];
      return [...(seconds > 0 ? [`${seconds} 1`] : []), ...others].join(' ');
    },
    assign(text) {
      const all = savePoints.parse(text);
      const ofOne = all.find((point) => point.endsWith(' 1'));
      const seconds = ofOne === undefined ? '0' : ofOne.slice(0, -2);
      return [
        [interval, rowOf(interval).kind.parse(seconds)],
        [points, all.filter((point) => point !== ofOne)],
      ];
    },
  };
}

/** A setting and its new text as CONFIG SET takes them; throws a ValueError where that name has others too. */
export function configPair(name: SettingName, text: string): readonly [name: string, text: string] {
  const [word] = LIMIT_CLASSES.find(([, each]) => each === name) ?? [];
  if (word === undefined) return [configName(name), text];
  const { kind } = rowOf(name);
  return [OUTPUT_LIMITS, `${word} ${kind.format(kind.parse(text))}`];
}

/** Three settings under one name: `normal 0 0 0 slave 268435456 67108864 60 pubsub ...`. */
function outputLimits(): Target {
  const classes = LIMIT_CLASSES;
  const byWord = new Map([...classes, ['replica', classes[1]![1]] as const]);
  return {
    settings: classes.map(([, name]) => name),
    ...SHOWN,
    isLive: true,
    read: (valueOf) =>
      classes.map(([word, name]) => `${word} ${rowOf(name).kind.format(valueOf(name))}`).join(' '),
    assign(text) {
      const words = text.split(' ');
      if (words.length % 4 !== 0) {
        throw new ValueError('Wrong number of arguments in buffer limit configuration.');
      }
      const assignments = new Map<SettingName, Value>();
      for (let at = 0; at < words.length; at += 4) {
        const name = byWord.get(words[at]!.toLowerCase());
        if (name === undefined) {
          throw new ValueError('Invalid client class specified in buffer limit configuration.');
        }
        assignments.set(name, outputLimit.parse(words.slice(at + 1, at + 4).join(' ')));
      }
      return [...assignments];
    },
  };
}
