/** Metrics of users. They add up to those of the server; the default user's are what no other user has of those. */

import type { UserCounts } from '#stats';
import { metric, type Head, type MetricDefinition } from '../definition.ts';

const US_PER_SECOND = 1_000_000;

/** Samples of a metric by the values of its label beside the user's. */
type Readers = readonly (readonly [label: readonly string[], of: (counts: UserCounts) => number])[];

function perUser(
  kind: 'counter' | 'gauge',
  head: Head,
  of: Readers | ((counts: UserCounts) => number),
): MetricDefinition {
  const readers: Readers = typeof of === 'function' ? [[[], of]] : of;
  const labelled = { ...head, labels: ['user', ...(head.labels ?? [])] };
  return metric(kind, labelled, 'main and shard pages: rows of users', ({ users }, samples) => {
    for (const { user, counts } of users) {
      for (const [label, read] of readers) samples.value(read(counts), user, ...label);
    }
  });
}

export const userMetrics: readonly MetricDefinition[] = [
  perUser(
    'counter',
    { name: 'svc_user_commands_total', help: 'Commands that were executed, by user.' },
    ({ commands }) => commands,
  ),
  perUser(
    'counter',
    { name: 'svc_user_errors_total', help: 'Error replies, by user.' },
    ({ errors }) => errors,
  ),
  perUser(
    'counter',
    { name: 'svc_user_seconds_total', help: 'Time of commands, by user.', unit: 'seconds' },
    ({ timeUs }) => timeUs / US_PER_SECOND,
  ),
  perUser(
    'counter',
    {
      name: 'svc_user_input_bytes_total',
      help: 'Bytes read from clients, by user.',
      unit: 'bytes',
    },
    ({ bytesIn }) => bytesIn,
  ),
  perUser(
    'counter',
    {
      name: 'svc_user_output_bytes_total',
      help: 'Bytes written to clients, by user.',
      unit: 'bytes',
    },
    ({ bytesOut }) => bytesOut,
  ),
  perUser(
    'gauge',
    { name: 'svc_user_connections', help: 'Open client connections, by user.' },
    ({ connections }) => connections,
  ),
  perUser(
    'counter',
    {
      name: 'svc_user_denied_total',
      help: 'Denials by user and reason: logins that failed, and commands, keys and channels that the user may not have.',
      labels: ['reason'],
    },
    [
      [['auth'], ({ deniedAuth }) => deniedAuth],
      [['command'], ({ deniedCommand }) => deniedCommand],
      [['key'], ({ deniedKey }) => deniedKey],
      [['channel'], ({ deniedChannel }) => deniedChannel],
    ],
  ),
  perUser(
    'counter',
    {
      name: 'svc_user_limited_total',
      help: 'Commands that a rate limit has refused, by user and limit.',
      labels: ['limit'],
    },
    [
      [['commands'], ({ limitedCommands }) => limitedCommands],
      [['bytes'], ({ limitedBytes }) => limitedBytes],
    ],
  ),
];
