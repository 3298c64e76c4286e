/** DEBUG BUNDLE: diagnostic bundles without HTTP. */

import { CommandError } from '#base';
import type { BundleReport } from '#documents';
import type { ReplyWriter } from '#resp';
import { onMain } from '../definition.ts';
import { debugHead } from './debug-head.ts';
import type { ServerContext } from './ports.ts';

const unknownWord = new CommandError('ERR DEBUG BUNDLE takes GENERATE or LIST');
const noWait = new CommandError('ERR DEBUG BUNDLE is not allowed in transactions');

export const debugBundle = onMain<ServerContext>({
  ...debugHead,
  name: 'DEBUG|BUNDLE',
  summary: 'Makes a diagnostic bundle, or lists those that there are.',
  arity: 3,
  run(context, args) {
    const isGenerate = args.spellsAt(2, 'GENERATE');
    if (!isGenerate && !args.spellsAt(2, 'LIST')) throw unknownWord;
    if (!context.mayBlock) throw noWait;
    const { bundles } = context;
    const answer = context.defer();
    const asked = isGenerate ? bundles.generate() : bundles.list();
    void asked.then(
      (found) => {
        answer((reply) => {
          if (Array.isArray(found)) writeList(reply, found as readonly BundleReport[]);
          else writeEntry(reply, found as BundleReport);
        });
      },
      (error: unknown) => {
        answer((reply) => {
          reply.error(
            new CommandError(`ERR ${error instanceof Error ? error.message : String(error)}`),
          );
        });
      },
    );
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
