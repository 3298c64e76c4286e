/**
 * The static probes: their names and arguments, in the order of the native library. Texts are cut to 255 bytes, and end
 * at the first zero byte, as in C. `main` is -1 as a shard number.
 */

type ArgumentKind = 'text' | 'number';

interface ProbeDefinition {
  readonly name: string;
  readonly args: readonly (readonly [name: string, kind: ArgumentKind])[];
}

export const PROBES = [
  { name: 'command__start', args: [text('command'), text('key'), number('conn_id')] },
  /** status: 0 when it was answered, 1 when the answer is an error. */
  { name: 'command__done', args: [text('command'), number('latency_us'), number('status')] },
  {
    name: 'shard__message__sent',
    args: [number('from_shard'), number('to_shard'), text('msg_type')],
  },
  {
    name: 'shard__message__received',
    args: [number('shard'), text('msg_type'), number('queue_depth')],
  },
  { name: 'key__expired', args: [text('key'), number('shard_id')] },
  { name: 'key__evicted', args: [text('key'), number('shard_id'), text('policy')] },
  /** action: `evict`, or `refuse` where nothing can be evicted. */
  { name: 'memory__pressure', args: [number('used'), number('max'), text('action')] },
  { name: 'wal__write', args: [number('shard_id'), text('key'), number('bytes')] },
  { name: 'scatter__start', args: [text('command'), number('shard_count'), number('txid')] },
  { name: 'scatter__done', args: [text('command'), number('latency_us'), number('shard_count')] },
  { name: 'pubsub__publish', args: [text('channel'), number('subscribers')] },
  { name: 'connection__accept', args: [number('conn_id'), text('addr')] },
  { name: 'warm__spill', args: [number('shard_id'), number('values'), number('latency_us')] },
  { name: 'warm__fetch', args: [number('shard_id'), number('values'), number('latency_us')] },
] as const satisfies readonly ProbeDefinition[];

export type ProbeName = (typeof PROBES)[number]['name'];

function text<const Name extends string>(name: Name): readonly [Name, 'text'] {
  return [name, 'text'];
}

function number<const Name extends string>(name: Name): readonly [Name, 'number'] {
  return [name, 'number'];
}
