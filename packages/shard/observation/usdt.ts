/** Arguments of static probes about commands and frames of a shard, computed only while a tracer is attached. */

import { type Arguments, type CommandEntry, findKeys } from '#commands';
import type { SlowClient } from '#stats';
import { kindName, Request, type RingReader } from '#link';
import { commandDone, commandStart, messageReceived } from '#usdt';
import type { Frame } from '../frames/frame.ts';

export function probeStart(entry: CommandEntry, args: Arguments, { id }: SlowClient): void {
  const [first] = entry.hasKeys ? (findKeys(entry.command.keys, args) ?? []) : [];
  const key = first === undefined ? '' : args.latin1(first.index);
  commandStart.fire(entry.lowerName, key, id);
}

/** `errorText` is null unless the answer is an error. */
export function probeDone(entry: CommandEntry, us: number, errorText: string | null): void {
  commandDone.fire(entry.lowerName, Math.round(us), errorText === null ? 0 : 1);
}

export function probeReceived(shard: number, { words, word }: Frame, requests: RingReader): void {
  const kind = kindName(words[word + Request.kind]!);
  messageReceived.fire(shard, kind, requests.waitingFrames);
}
