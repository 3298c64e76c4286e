/** A shard's part of a command that main gathers, put into the current reply. */

import { unreachable } from '#base';
import type {
  Arguments,
  ByKeyCommand,
  CommandEntry,
  EveryShardCommand,
  ShardContext,
} from '#commands';

export function answerPart(
  { command }: CommandEntry,
  context: ShardContext,
  args: Arguments,
): void {
  if (command.route !== 'byKey' && command.route !== 'everyShard') {
    unreachable('a part belongs to a command that main gathers');
  }
  // `run` and `merge.part` come from one definition, so what one makes the other encodes.
  const gathered = command as EveryShardCommand<unknown>;
  gathered.merge.part.encode(gathered.run(context, args), context.reply);
}

/** All keys of a command that main would split are here: there is one part. */
export function answerWhole(
  command: ByKeyCommand<never>,
  context: ShardContext,
  args: Arguments,
): void {
  const keyCount = Math.ceil((args.count - 1) / command.keyStride);
  const part = command.run(context, args);
  const partOfKey = new Array<number>(keyCount).fill(0);
  command.merge.combine([part], context.reply, { partOfKey });
}
