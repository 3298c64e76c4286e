/** Key fates while main is late: all that needs no answer from another thread. */
import { Page } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../protocol/answer.ts';
import { keyFatesDocument, type KeyFatesSources } from './key-fates.ts';

const fates = suite('key fates without main');

const shape = { databases: 1, commands: 1, errorCodes: 1 };

function sources(problem: Error): KeyFatesSources {
  const shards = [2, 3].map((deleted) => {
    const page = new Page(shape, new ArrayBuffer(Page.bytes(shape)));
    page.set('fateDeleted', deleted);
    return page;
  });
  return {
    observer: { shards },
    live: { keyFates: { lengthMax: 5, keepsOverwritten: true } },
    mainClient: { ask: () => Promise.reject(problem) },
  };
}

const everything = { count: 1, of: null };

fates('counts and settings are told, and the rest is null', async () => {
  const document = await keyFatesDocument(sources(new HttpError(503, 'late')), everything);
  assert.is(document.counts['deleted'], 5);
  assert.equal([document.recording.max_len, document.recording.overwritten], [5, true]);
  assert.equal([document.kept, document.removed_keys, document.missing_shards], [null, null, []]);
});

fates('what is our own mistake is no gap', async () => {
  try {
    await keyFatesDocument(sources(new Error('a mistake')), everything);
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'a mistake');
  }
});

fates.run();
