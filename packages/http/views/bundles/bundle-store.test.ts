import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundleName, BundleStore, createdMs, newId } from './bundle-store.ts';

const bundles = suite('bundle store');

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
let folder: string;
bundles.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'bundles-'));
});
bundles.after.each(() => {
  rmSync(folder, { recursive: true });
});

const put = (name: string, bytes = 3): void => {
  writeFileSync(path.join(folder, name), 'x'.repeat(bytes));
};
const has = (name: string): boolean => existsSync(path.join(folder, name));
/** Returns the id of a bundle of `secondsAgo` seconds ago. */
const idOf = (secondsAgo: number, random = 'abcdef'): string =>
  newId(NOW - secondsAgo * 1_000, random);

bundles('makes ids that tell when', () => {
  assert.is(newId(NOW + 789, '0a1b2c'), '20260102T030405Z-0a1b2c');
  assert.is(createdMs('20260102T030405Z-0a1b2c'), NOW);
});

for (const id of [
  ...[
    '',
    '..',
    '../etc',
    '20260102T030405Z',
    '20260102T030405Z-0A1B2C',
    '20260102T030405Z-0a1b2c1',
  ],
  ...['20260102T030405Z-0a1b2c/', 'x20260102T030405Z-0a1b2c', '20260102T030405Z-0a1b2c\n'],
]) {
  bundles(`takes ${JSON.stringify(id)} for no id`, () => {
    assert.is(createdMs(id), undefined);
  });
}

bundles('has nothing where there is no folder', () => {
  const store = new BundleStore(path.join(folder, 'none'));
  assert.equal(store.list(NOW, { countMax: 5, ageSecondsMax: 60 }), []);
});

bundles('lists the newest first, with when each goes', () => {
  put(bundleName(idOf(10)), 7);
  put(bundleName(idOf(5)));
  const list = new BundleStore(folder).list(NOW, { countMax: 5, ageSecondsMax: 60 });
  assert.equal(list, [
    {
      id: idOf(5),
      created_at: '2026-01-02T03:04:00.000Z',
      size_bytes: 3,
      expires_at: '2026-01-02T03:05:00.000Z',
    },
    {
      id: idOf(10),
      created_at: '2026-01-02T03:03:55.000Z',
      size_bytes: 7,
      expires_at: '2026-01-02T03:04:55.000Z',
    },
  ]);
});

bundles('removes what is too old or too much, and nothing else', () => {
  const part = `.${bundleName(idOf(10))}.part`;
  const abandoned = `.${bundleName(idOf(4_000))}.part`;
  const strange = ['svc-bundle-latest.tar.gz', 'notes.txt', `${bundleName(idOf(900))}.bak`];
  for (const name of [part, abandoned, ...strange]) put(name);
  for (const seconds of [1, 2, 3, 60, 61]) put(bundleName(idOf(seconds)));
  const store = new BundleStore(folder);
  const ids = store.list(NOW, { countMax: 2, ageSecondsMax: 60 }).map(({ id }) => id);
  assert.equal(ids, [idOf(1), idOf(2)]);
  assert.equal(
    [1, 2, 3, 60, 61].map((seconds) => has(bundleName(idOf(seconds)))),
    [...[true, true, false, false, false]],
  );
  assert.equal([part, abandoned, ...strange].map(has), [true, false, true, true, true]);
});

bundles.run();
