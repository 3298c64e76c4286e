/** DEBUG BUNDLE: diagnostic bundles without HTTP. */

import { CommandError } from '#base';
import type { BundleReport } from '#api-types';
import type { ReplyWriter } from '#resp';
import { answerOrError } from '../../contexts/answer-later.ts';
import { onMain } from '../../definition/definition.ts';
import { debugHead } from './debug-head.ts';
import type { ServerContext } from '../ports/ports.ts';

const unknownWord = new CommandError('ERR DEBUG BUNDLE takes GENERATE or LIST');
const noWait = new CommandError('ERR DEBUG BUNDLE is not allowed in transactions');

export const debugBundle = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|BUNDLE',
  summary: 'Creates a diagnostic bundle, or lists the existing ones.',
  arity: 3,
  run(context, args) {
    const isGenerate = args.spellsAt(2, 'GENERATE');
    if (!isGenerate && !args.spellsAt(2, 'LIST')) throw unknownWord;
    if (!context.mayBlock) throw noWait;
    const { bundles } = context;
    if (isGenerate) answerOrError(context, bundles.generate(), writeEntry);
    else answerOrError(context, bundles.list(), writeList);
  },
});

function writeList(reply: ReplyWriter, entries: readonly BundleReport[]): void {
  reply.arrayHeader(entries.length);
  for (const entry of entries) writeEntry(reply, entry);
}

function writeEntry(reply: ReplyWriter, entry: BundleReport): void {
  reply.mapHeader(4);
  reply.text('id');
  reply.text(entry.id);
  reply.text('created-at');
  reply.text(entry.created_at);
  reply.text('size-bytes');
  reply.integer(entry.size_bytes);
  reply.text('expires-at');
  reply.text(entry.expires_at);
}
