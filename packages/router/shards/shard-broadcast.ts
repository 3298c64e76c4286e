import { type Control, encodeControl, FrameKind } from '#link';
import { emptyHead, type ShardLink } from './shard-link.ts';

/** Sends a control message to every shard, in order with the commands. */
export function broadcastTo(links: readonly ShardLink[], control: Control): void {
  const head = { ...emptyHead(), kind: FrameKind.control };
  // A long body is given away with its memory, so each has its own.
  for (const link of links) link.sendMessage(head, encodeControl(control));
}
