/**
 * Finding the stream of a key, and its groups.
 *
 * Commands share one `StreamValue`, since a thread runs one command at a time and works on one stream
 * after another.
 */

import { CommandError, reused, untilNul } from '#base';
import {
  type Ref,
  type Stream,
  type StreamConsumer,
  type StreamGroup,
  StreamValue,
  ValueType,
} from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import { kept, type ShardContext } from '../../contexts/contexts.ts';
import { advancedAt, createdAt, findToRead, findToWrite, holds } from '../../elements/lookup.ts';
import { events } from '../../contexts/events.ts';

const valueScratch = reused(new StreamValue());
/** Limits of the idempotent ids of new streams. */
const limitsOf = kept((settings) => ({
  durationSeconds: settings.number('streams.idmp-duration'),
  maxSize: settings.number('streams.idmp-maxsize'),
}));

/** The stream of argument `index`'s key to read; undefined when there is none. */
export function streamToRead(
  context: ShardContext,
  args: Arguments,
  index = 1,
): StreamValue | undefined {
  return streamOf(context, findToRead(context, args, index));
}

/** Looks up the stream of an argument for writing; undefined if the key does not exist. */
export function streamToWrite(
  context: ShardContext,
  args: Arguments,
  index = 1,
): StreamValue | undefined {
  return streamOf(context, findToWrite(context, args, index));
}

/** Makes an empty stream of argument `index`'s key. */
export function newStream(context: ShardContext, args: Arguments, index = 1): StreamValue {
  valueScratch.create(context.keyspace, args.piece(index), limitsOf(context));
  createdAt(context, args, index);
  return valueScratch;
}

/** The group that argument `index` names. */
export function groupAt(stream: Stream, args: Arguments, index: number): StreamGroup | undefined {
  return stream.groups.get(args.latin1(index));
}

/** Returns the error for a missing key or group, which two arguments name. */
export function noGroup(args: Arguments, keyIndex = 1, groupIndex = 2, where = ''): CommandError {
  const key = untilNul(args.latin1(keyIndex));
  const group = untilNul(args.latin1(groupIndex));
  return new CommandError(`NOGROUP No such key '${key}' or consumer group '${group}'${where}`);
}

/** Returns the error for a missing group of an existing key. */
export function noGroupOfKey(args: Arguments, keyIndex: number, groupIndex: number): CommandError {
  const key = untilNul(args.latin1(keyIndex));
  const group = untilNul(args.latin1(groupIndex));
  return new CommandError(`NOGROUP No such consumer group '${group}' for key name '${key}'`);
}

/** Returns the consumer of a request; creates and announces it if it does not exist. */
export function consumerAsking(
  context: ShardContext,
  args: Arguments,
  keyIndex: number,
  { group, name }: { group: StreamGroup; name: string },
): StreamConsumer {
  let consumer = group.consumers.get(name);
  if (consumer === undefined) {
    consumer = group.createConsumer(name, context.nowMs);
    advancedAt(context, args, keyIndex, events.xgroupCreateconsumer);
  }
  consumer.seenMs = context.nowMs;
  return consumer;
}

/** The stream of a record; undefined where there is no record. */
export function streamOf(context: ShardContext, ref: Ref): StreamValue | undefined {
  return holds(context, ref, ValueType.stream)
    ? valueScratch.open(context.keyspace, ref)
    : undefined;
}
