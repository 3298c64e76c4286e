/** The options of XREAD and XREADGROUP. */

import { CommandError, errors } from '#base';
import { millisecondsAt } from '../../arguments/timeout.ts';
import { StreamId } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';

const groupOfXread = new CommandError(
  'ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
);
const noackOfXread = new CommandError(
  'ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
);
const claimOfXread = new CommandError(
  'ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.',
);
const noIdleTime = new CommandError('ERR min-idle-time is not an integer or out of range');
const negativeIdleTime = new CommandError('ERR min-idle-time must be a positive integer');
const missingGroup = new CommandError('ERR Missing GROUP option for XREADGROUP');
/** Request of a reader. */
export interface ReadRequest {
  /** Maximum number of entries of each stream in a reply; 0 for no limit. */
  count: number;
  /** Milliseconds to wait at most, 0 for ever; -1: not at all. */
  blockMs: number;
  /** Entries that a group delivers need no acknowledgement. */
  isUnacknowledged: boolean;
  /** Least idle milliseconds of pending entries that are claimed; -1: none are. */
  claimIdleMs: number;
  /** Unix millisecond at which an entry may be claimed, as of the last attempt; with CLAIM only. */
  dueMs: number;
  /** Index of the arguments that name the group and the consumer; 0 without a group. */
  groupIndex: number;
  /** Index of the first key; the ids stand after the keys. */
  firstKey: number;
  /** Behind which id each stream is read; the highest one stands for what its group has not read. */
  after: StreamId[];
}

/** Reads the arguments up to the streams; their ids are settled later. */
export function readOptions(args: Arguments, isGroup: boolean, nowMs: number): ReadRequest {
  const request: ReadRequest = {
    count: 0,
    blockMs: -1,
    isUnacknowledged: false,
    claimIdleMs: -1,
    dueMs: Infinity,
    groupIndex: 0,
    firstKey: 0,
    after: [],
  };
  args.position = 1;
  while (args.more && request.firstKey === 0) {
    if (!takeOption(args, request, isGroup, nowMs) && !takeGroupOption(args, request, isGroup)) {
      throw errors.syntax;
    }
  }
  if (request.firstKey === 0) throw errors.syntax;
  if (isGroup && request.groupIndex === 0) throw missingGroup;
  return request;
}

/** Takes an option that both commands have; returns true if there is one. */
function takeOption(
  args: Arguments,
  request: ReadRequest,
  isGroup: boolean,
  nowMs: number,
): boolean {
  if (args.left < 2) return false;
  if (args.takes('CLAIM')) {
    if (!isGroup) throw claimOfXread;
    request.claimIdleMs = args.roundedAt(args.next(), noIdleTime);
    if (request.claimIdleMs < 0) throw negativeIdleTime;
  } else if (args.takes('BLOCK')) {
    request.blockMs = millisecondsAt(args, args.next(), nowMs);
  } else if (args.takes('COUNT')) {
    request.count = Math.max(args.roundedAt(args.next()), 0);
  } else if (args.takes('STREAMS')) {
    readStreamCount(args, request, isGroup);
  } else {
    return false;
  }
  return true;
}

/** Reads an option of XREADGROUP; returns false if there is none. */
function takeGroupOption(args: Arguments, request: ReadRequest, isGroup: boolean): boolean {
  if (args.left > 2 && args.takes('GROUP')) {
    if (!isGroup) throw groupOfXread;
    request.groupIndex = args.position;
    args.position += 2;
    return true;
  }
  if (!args.takes('NOACK')) return false;
  if (!isGroup) throw noackOfXread;
  request.isUnacknowledged = true;
  return true;
}

function readStreamCount(args: Arguments, request: ReadRequest, isGroup: boolean): void {
  if (args.left % 2 !== 0) {
    const [name, sign] = isGroup ? ['xreadgroup', '>'] : ['xread', '$'];
    throw new CommandError(
      `ERR Unbalanced '${name}' list of streams: for each stream key an ID or '${sign}' must be specified.`,
    );
  }
  request.firstKey = args.position;
  for (let left = args.left / 2; left > 0; left -= 1) request.after.push(new StreamId());
}
