/** XGROUP: the groups of a stream and their consumers. */

import { CommandError, errors } from '#base';
import { type Stream, type StreamGroup, StreamId, type StreamValue, UNKNOWN_READ } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { MainContext, ShardContext } from '../../contexts/contexts.ts';
import {
  container,
  oneShard,
  onMain,
  type ArgumentDoc,
  type CommandHead,
} from '../../definition/definition.ts';
import { helpReply } from '../../definition/help.ts';
import { advancedAt, changedAt } from '../../elements/lookup.ts';
import { noKeys, oneKey } from '../../definition/keys.ts';
import { events } from '../../contexts/events.ts';
import { isSign, readId, readIdOrEdge } from '../entries/ids.ts';
import { groupAt, newStream, noGroupOfKey, streamToWrite } from '../entries/lookup.ts';

const KEY_INDEX = 2;
const GROUP_INDEX = 3;
const ID_INDEX = 4;
const CONSUMER_INDEX = 4;
const OPTIONS_INDEX = 5;
const CREATE_ARGUMENTS_MAX = 8;

const noKey = new CommandError(
  'ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the ' +
    'MKSTREAM option to create an empty stream automatically.',
);
const busyGroup = new CommandError('BUSYGROUP Consumer Group name already exists');
const negativeRead = new CommandError('ERR value for ENTRIESREAD must be positive or -1');

const idScratch = new StreamId();

const groupHead = { since: '5.0.0', group: 'stream' } as const satisfies Partial<CommandHead>;
const keyDoc: ArgumentDoc = { name: 'key', type: 'key' };
const groupDoc: ArgumentDoc = { name: 'group', type: 'string' };
const consumerDoc: ArgumentDoc = { name: 'consumer', type: 'string' };
const idDoc: ArgumentDoc = {
  name: 'id-selector',
  type: 'oneof',
  arguments: [
    { name: 'id', type: 'string' },
    { name: 'new-id', type: 'pure-token', token: '$' },
  ],
};
const entriesReadDoc: ArgumentDoc = {
  name: 'entriesread',
  type: 'integer',
  shown: 'entries-read',
  token: 'ENTRIESREAD',
  optional: true,
};

const create = oneShard({
  ...groupHead,
  name: 'XGROUP|CREATE',
  summary: 'Creates a consumer group that reads the entries after an id.',
  complexity: 'O(1)',
  arity: -5,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'insert', KEY_INDEX),
  args: [
    keyDoc,
    groupDoc,
    idDoc,
    { name: 'mkstream', type: 'pure-token', token: 'MKSTREAM', optional: true },
    entriesReadDoc,
  ],
  history: [['7.0.0', 'Added ENTRIESREAD.']],
  run(context, args) {
    const { makesStream, entriesRead } = readOptions(args, true);
    const found = streamToWrite(context, args, KEY_INDEX);
    if (found === undefined && !makesStream) throw noKey;
    if (args.count > CREATE_ARGUMENTS_MAX) throw wrongForm(args);
    if (!isSign(args, ID_INDEX, '$')) readId(args, ID_INDEX, idScratch);
    else if (found === undefined) idScratch.setZero();
    else idScratch.set(found.stream.lastId);
    const target = found ?? newStream(context, args, KEY_INDEX);
    if (groupAt(target.stream, args, GROUP_INDEX) !== undefined) throw busyGroup;
    target.stream.createGroup(args.latin1(GROUP_INDEX), idScratch, entriesRead);
    target.post();
    const announce = found === undefined ? changedAt : advancedAt;
    announce(context, args, KEY_INDEX, events.xgroupCreate);
    context.reply.ok();
  },
});

const setid = oneShard({
  ...groupHead,
  name: 'XGROUP|SETID',
  summary: 'Sets the id after which a consumer group reads.',
  complexity: 'O(1)',
  arity: -5,
  flags: ['write'],
  keys: oneKey('RW', 'update', KEY_INDEX),
  args: [keyDoc, groupDoc, idDoc, entriesReadDoc],
  history: [['7.0.0', 'Added ENTRIESREAD.']],
  run(context, args) {
    const { entriesRead } = readOptions(args, false);
    const { stream, group } = groupToChange(context, args);
    if (args.count !== OPTIONS_INDEX && args.count !== OPTIONS_INDEX + 2) throw wrongForm(args);
    if (isSign(args, ID_INDEX, '$')) idScratch.set(stream.lastId);
    else readIdOrEdge(args, ID_INDEX, idScratch);
    group.lastId.set(idScratch);
    group.entriesRead = entriesRead;
    advancedAt(context, args, KEY_INDEX, events.xgroupSetid);
    context.reply.ok();
  },
});

const destroy = oneShard({
  ...groupHead,
  name: 'XGROUP|DESTROY',
  summary: 'Removes a consumer group with its pending entries.',
  complexity: 'O(N) for N consumers.',
  arity: 4,
  flags: ['write'],
  keys: oneKey('RW', 'delete', KEY_INDEX),
  args: [keyDoc, groupDoc],
  run(context, args) {
    const found = streamToChange(context, args);
    const group = groupAt(found.stream, args, GROUP_INDEX);
    if (group !== undefined) {
      found.stream.removeGroup(group);
      found.post();
      advancedAt(context, args, KEY_INDEX, events.xgroupDestroy);
      context.concernsWaiters(args.source, args.at(KEY_INDEX), args.length(KEY_INDEX));
    }
    context.reply.integer(group === undefined ? 0 : 1);
  },
});

const createconsumer = oneShard({
  ...groupHead,
  since: '6.2.0',
  name: 'XGROUP|CREATECONSUMER',
  summary: 'Creates a consumer of a consumer group.',
  complexity: 'O(1)',
  arity: 5,
  flags: ['write', 'denyoom'],
  keys: oneKey('RW', 'insert', KEY_INDEX),
  args: [keyDoc, groupDoc, consumerDoc],
  run(context, args) {
    const { found, group } = groupToChange(context, args);
    const name = args.latin1(CONSUMER_INDEX);
    const isNew = group.consumers.get(name) === undefined;
    if (isNew) {
      group.createConsumer(name, context.nowMs);
      found.post();
      advancedAt(context, args, KEY_INDEX, events.xgroupCreateconsumer);
    }
    context.reply.integer(isNew ? 1 : 0);
  },
});

const delconsumer = oneShard({
  ...groupHead,
  name: 'XGROUP|DELCONSUMER',
  summary: 'Removes a consumer of a group; returns the number of its pending entries.',
  complexity: 'O(N*log(M)) for N entries that are pending for the consumer out of M for the group.',
  arity: 5,
  flags: ['write'],
  keys: oneKey('RW', 'delete', KEY_INDEX),
  args: [keyDoc, groupDoc, consumerDoc],
  run(context, args) {
    const { found, group } = groupToChange(context, args);
    const consumer = group.consumers.get(args.latin1(CONSUMER_INDEX));
    const pending = consumer?.pending.count ?? 0;
    if (consumer !== undefined) {
      group.removeConsumer(consumer);
      found.post();
      advancedAt(context, args, KEY_INDEX, events.xgroupDelconsumer);
    }
    context.reply.integer(pending);
  },
});

const help = onMain<MainContext>({
  ...groupHead,
  name: 'XGROUP|HELP',
  summary: 'Describes the subcommands.',
  complexity: 'O(1)',
  arity: 2,
  flags: ['loading', 'stale'],
  keys: noKeys,
  args: [],
  run({ reply }) {
    helpReply(reply, 'XGROUP', [
      [
        'CREATE <key> <groupname> <id|$> [option]',
        'Creates a group that reads the entries after <id>. Options are:',
        '* MKSTREAM',
        '  Creates an empty stream if the key does not exist.',
        '* ENTRIESREAD entries_read',
        '  Sets the number of entries that count as read.',
      ],
      ['CREATECONSUMER <key> <groupname> <consumer>', 'Creates a consumer of the group.'],
      ['DELCONSUMER <key> <groupname> <consumer>', 'Removes the consumer.'],
      ['DESTROY <key> <groupname>', 'Removes the group.'],
      [
        'SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]',
        'Sets the id after which the group reads, and the number of entries read.',
      ],
    ]);
  },
});

const xgroup = container({
  name: 'XGROUP',
  summary: 'Container for commands about consumer groups.',
  since: '5.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'stream',
  arity: -2,
  flags: [],
  subcommands: [create, createconsumer, delconsumer, destroy, help, setid],
});

export const streamGroups = [xgroup];

function wrongForm(args: Arguments): CommandError {
  return errors.subcommandSyntax(args.latin1(1), 'XGROUP');
}

function readOptions(
  args: Arguments,
  isCreate: boolean,
): { makesStream: boolean; entriesRead: number } {
  const options = { makesStream: false, entriesRead: UNKNOWN_READ };
  args.position = OPTIONS_INDEX;
  while (args.more) {
    if (isCreate && args.takes('MKSTREAM')) {
      options.makesStream = true;
    } else if (args.left >= 2 && args.takes('ENTRIESREAD')) {
      options.entriesRead = args.roundedAt(args.next());
      if (options.entriesRead < UNKNOWN_READ) throw negativeRead;
    } else {
      throw wrongForm(args);
    }
  }
  return options;
}

function streamToChange(context: ShardContext, args: Arguments): StreamValue {
  const found = streamToWrite(context, args, KEY_INDEX);
  if (found === undefined) throw noKey;
  return found;
}

interface FoundGroup {
  found: StreamValue;
  stream: Stream;
  group: StreamGroup;
}

function groupToChange(context: ShardContext, args: Arguments): FoundGroup {
  const found = streamToChange(context, args);
  const { stream } = found;
  const group = groupAt(stream, args, GROUP_INDEX);
  if (group === undefined) throw noGroupOfKey(args, KEY_INDEX, GROUP_INDEX);
  return { found, stream, group };
}
