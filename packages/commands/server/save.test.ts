import { call, type CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SavingPort } from './ports/ports.ts';
import { contextWithPorts } from './server.test-helper.ts';

const save = suite('SAVE, BGSAVE and the like');

/** A place for snapshots, of which one is under way or none. */
function savingContext(isSaving: boolean, failure?: string): CallContext & { later: number } {
  const saving: SavingPort = {
    isSaving,
    lastSaveMs: 1_700_000_000_999,
    save: () => (failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure))),
    saveInBackground: (schedule) => {
      if (!isSaving) return 'started';
      return schedule ? 'scheduled' : 'busy';
    },
    saveLater: () => {
      context.later += 1;
    },
  };
  const context = Object.assign(contextWithPorts({}, saving).context, { later: 0 });
  return context;
}

const ADVICE =
  '-ERR Background save already in progress, use BGSAVE SCHEDULE to have one follow it';
const savingLines: readonly (readonly [line: string, idle: unknown, busy: unknown])[] = [
  ['BGSAVE', 'Background saving started', ADVICE],
  ['BGSAVE SCHEDULE', 'Background saving started', 'Background saving scheduled'],
  ['BGSAVE LATER', '-ERR syntax error', '-ERR syntax error'],
  [
    'BGREWRITEAOF',
    'Background append only file rewriting started',
    'Background append only file rewriting scheduled',
  ],
  ['LASTSAVE', 1_700_000_000, 1_700_000_000],
];
for (const [line, idle, busy] of savingLines) {
  save(`${line}, idle and while one is under way`, () => {
    assert.is(call(savingContext(false), line), idle);
    assert.is(call(savingContext(true), line), busy);
  });
}

save('inside of a transaction a snapshot is put off until its end', () => {
  for (const [line, reply] of [
    ['BGSAVE', 'Background saving scheduled'],
    ['BGSAVE SCHEDULE', 'Background saving scheduled'],
    ['BGREWRITEAOF', 'Background append only file rewriting scheduled'],
  ] as const) {
    const context = savingContext(false);
    context.mayBlock = false;
    assert.is(call(context, line), reply);
    assert.is(context.later, 1);
  }
  const busy = savingContext(true);
  busy.mayBlock = false;
  assert.is(call(busy, 'BGSAVE'), ADVICE);
});

save('SAVE answers when the snapshot is on disk, or why it is not', async () => {
  const settled = async (failure?: string): Promise<readonly unknown[]> => {
    const context = savingContext(false, failure);
    assert.is(call(context, 'SAVE'), undefined);
    await new Promise((resolve) => setImmediate(resolve));
    return context.deferred;
  };
  assert.equal(await settled(), ['OK']);
  assert.equal(await settled('no\r\nroom'), ['-ERR the snapshot failed: no room']);
  const busy = savingContext(true);
  assert.is(call(busy, 'SAVE'), '-ERR Background save already in progress');
});

save('without a disk no snapshot is taken, and LASTSAVE says when the server began', () => {
  const { context } = contextWithPorts();
  for (const line of ['SAVE', 'BGSAVE', 'BGSAVE SCHEDULE', 'BGREWRITEAOF']) {
    assert.is(call(context, line), '-ERR nothing is kept on disk: persistence.enabled is off');
  }
  assert.is(call(context, 'LASTSAVE'), 0);
});

save.run();
