/** A shard's part of a command that main gathers, put into the reply at hand. */

import { unreachable } from '#base';
import type { Arguments, CommandEntry, EveryShardCommand, ShardContext } from '#commands';

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
