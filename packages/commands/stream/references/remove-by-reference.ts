/** XDELEX and XACKDEL: removing entries with regard to the groups that refer to them. */

import { CommandError, errors } from '#base';
import type { ReplyWriter } from '#resp';
import { type References, type Stream, StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { events } from '../../contexts/events.ts';
import { oneShard } from '../../definition/definition.ts';
import { oneKey } from '../../definition/keys.ts';
import { changedAt } from '../../elements/lookup.ts';
import { idsDoc, readId } from '../entries/ids.ts';
import { groupAt, streamToRead, streamToWrite } from '../entries/lookup.ts';
import { referencesDoc, takeReferences } from './reference-options.ts';

const GROUP_INDEX = 2;

/** Replies for an id. */
const NO_ENTRY = -1;
const REMOVED = 1;
const REFERENCED = 2;

const notPositive = new CommandError('ERR Number of IDs must be a positive integer');
const tooManyIds = new CommandError(
  'ERR The `numids` parameter must match the number of arguments',
);
const noIds = new CommandError('ERR IDS option is required');

const idScratch = new StreamId();

const xdelex = oneShard({
  name: 'XDELEX',
  summary: 'Removes entries from a stream, with regard to the references of consumer groups.',
  since: '8.2.0',
  complexity: 'O(log(N)) for each entry, and each group if references are dropped or respected.',
  group: 'stream',
  arity: -5,
  flags: ['write', 'fast'],
  keys: oneKey('RW', 'delete'),
  args: [{ name: 'key', type: 'key' }, referencesDoc, idsDoc],
  run(context, args) {
    const target = streamToWrite(context, args);
    const request = readRequest(args, 2);
    const { reply } = context;
    if (target === undefined) {
      replyNone(reply, request);
      return;
    }
    demandIds(args, request);
    reply.arrayHeader(request.count);
    const removal = new Removal(target.stream, request.references);
    eachId(args, request, (id) => {
      reply.integer(removal.remove(id));
    });
    removal.end();
    target.post();
    removal.announce(context, args, removal.removed);
  },
});

const xackdel = oneShard({
  name: 'XACKDEL',
  summary:
    'Acknowledges entries of a consumer group, and removes them with regard to the references of other groups.',
  since: '8.2.0',
  complexity: 'O(log(N)) for each entry, and each group if references are dropped or respected.',
  group: 'stream',
  arity: -6,
  flags: ['write', 'fast'],
  keys: {
    specs: [
      {
        begin: { index: 1 },
        find: { last: 0, step: 1, limit: 0 },
        access: 'RW',
        use: ['update', 'delete'],
      },
    ],
  },
  args: [{ name: 'key', type: 'key' }, { name: 'group', type: 'string' }, referencesDoc, idsDoc],
  run(context, args) {
    const target = streamToRead(context, args);
    const request = readRequest(args, 3);
    const { reply } = context;
    const group = target && groupAt(target.stream, args, GROUP_INDEX);
    if (target === undefined || group === undefined) {
      replyNone(reply, request);
      return;
    }
    demandIds(args, request);
    reply.arrayHeader(request.count);
    const removal = new Removal(target.stream, request.references);
    let acknowledged = 0;
    eachId(args, request, (id) => {
      if (!group.acknowledge(id)) {
        reply.integer(NO_ENTRY);
        return;
      }
      acknowledged += 1;
      // An entry that was pending and has left the stream counts as removed.
      const isReferenced = removal.remove(id) === REFERENCED;
      reply.integer(isReferenced ? REFERENCED : REMOVED);
    });
    removal.end();
    target.post();
    removal.announce(context, args, acknowledged);
  },
});

export const streamReferences = [xdelex, xackdel];

interface Request {
  readonly references: References;
  /** Index of the first id, and the number of ids. */
  readonly first: number;
  readonly count: number;
}

/** Reads the options, in any order; of several IDS the last counts. */
function readRequest(args: Arguments, position: number): Request {
  let references: References | undefined;
  let first = 0;
  let count = 0;
  args.position = position;
  while (args.more) {
    const taken = references === undefined ? takeReferences(args) : undefined;
    if (taken !== undefined) {
      references = taken;
    } else if (args.left >= 2 && args.takes('IDS')) {
      count = readCount(args);
      first = args.position;
      args.position += count;
    } else {
      throw errors.syntax;
    }
  }
  if (count === 0) throw noIds;
  return { references: references ?? 'kept', first, count };
}

function readCount(args: Arguments): number {
  const count = args.integer64(notPositive);
  if (count < 1n) throw notPositive;
  if (count > BigInt(args.left)) throw tooManyIds;
  return Number(count);
}

function replyNone(reply: ReplyWriter, { count }: Request): void {
  reply.arrayHeader(count);
  for (let left = count; left > 0; left -= 1) reply.integer(NO_ENTRY);
}

/** All ids are looked at before anything is removed. */
function demandIds(args: Arguments, { first, count }: Request): void {
  for (let index = first; index < first + count; index += 1) readId(args, index, idScratch);
}

function eachId(args: Arguments, { first, count }: Request, visit: (id: StreamId) => void): void {
  for (let index = first; index < first + count; index += 1) {
    readId(args, index, idScratch);
    visit(idScratch);
  }
}

/** Entries that one command removes from a stream. */
class Removal {
  removed = 0;
  readonly #stream: Stream;
  readonly #references: References;
  /** Number of references that were dropped. */
  #dropped = 0;
  #isFirstGone = false;

  constructor(stream: Stream, references: References) {
    this.#stream = stream;
    this.#references = references;
  }

  remove(id: StreamId): number {
    const stream = this.#stream;
    if (this.#references === 'respected' && stream.isReferenced(id)) return REFERENCED;
    if (this.#references === 'dropped') this.#dropped += stream.dropReferences(id);
    if (!stream.remove(id)) return NO_ENTRY;
    this.removed += 1;
    this.#isFirstGone ||= id.compare(stream.firstId) === 0;
    return REMOVED;
  }

  end(): void {
    const stream = this.#stream;
    if (this.removed === 0) return;
    if (this.#isFirstGone || stream.length === 0) stream.refreshFirst();
  }

  /** Announces removed entries with that many changes; without any, references alone may have changed. */
  announce(context: ShardContext, args: Arguments, changes: number): void {
    if (this.removed > 0) changedAt(context, args, 1, events.xdel, changes);
    else context.countChanges(changes + this.#dropped);
  }
}
