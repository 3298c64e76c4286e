/** Commands that may come over the connection of a replica: none of them is answered, since each byte is one of the stream. */

import { asBuffer } from '#base';
import type { ParsedCommand } from '#resp';

const SILENT = /^(psync|sync)$/i;
const REPLCONF = /^replconf$/i;
const SILENT_OPTION = /^(ack|getack)$/i;
/** Longest of these words. */
const WORD_BYTES_MAX = 16;

/** True for a command that a replica may send once it has asked for the stream. */
export function mayComeFromReplica(command: ParsedCommand): boolean {
  const name = wordOf(command, 0);
  if (REPLCONF.test(name)) return command.count > 1 && SILENT_OPTION.test(wordOf(command, 1));
  return SILENT.test(name);
}

/** A word of a command, cut where it is too long to be one of these. */
export function wordOf({ source, at, spans }: ParsedCommand, index: number): string {
  const from = at + spans[2 * index]!;
  const to = from + Math.min(spans[2 * index + 1]!, WORD_BYTES_MAX);
  return asBuffer(source).toString('latin1', from, to);
}
