/** Scripts by their digests: which are kept, which are evicted, and notices to shards. */

import { createHash } from 'node:crypto';
import { ERROR_CODES } from '#base';
import { commandTable } from '#commands';
import { Page } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ScriptCache, type Script } from './script-cache.ts';

const scripts = suite('script cache');

/** As many scripts as EVAL alone may keep. */
const EVALUATED_MAX = 500;

class Fixture {
  readonly page = newPage();
  /** Digests of scripts that the shards are requested to remove. */
  readonly forgotten: string[] = [];
  readonly cache = new ScriptCache(this.page, ({ digest }) => {
    this.forgotten.push(digest);
  });

  add(source: string, isLoaded = false): Script {
    const bytes = Buffer.from(`before ${source} behind`);
    return this.cache.ofSource(bytes, 7, source.length, isLoaded);
  }

  get figures(): readonly number[] {
    const names = ['scriptsCached', 'scriptSourceBytes', 'scriptsEvicted'] as const;
    return names.map((name) => this.page.get(name));
  }
}

scripts('is found by the SHA-1 of its source, and is the same for the same source', () => {
  const fixture = new Fixture();
  const script = fixture.add('return 1');
  assert.is(script.digest, createHash('sha1').update('return 1').digest('hex'));
  assert.is(fixture.add('return 1'), script);
  assert.is(fixture.cache.byDigest(script.digest), script);
  assert.is(Buffer.from(fixture.cache.sourceOf(script.digest)!).toString(), 'return 1');
  assert.is(fixture.cache.byDigest('0'.repeat(40)), undefined);
  assert.equal(fixture.figures, [1, 8, 0]);
});

scripts('sources that share a place among the recent ones are told apart', () => {
  const fixture = new Fixture();
  const sources = Array.from({ length: 2_000 }, (_, nth) => `return ${nth % 300}`);
  const digests = new Set(sources.map((source) => fixture.add(source).digest));
  assert.is(digests.size, 300);
});

scripts('of those that EVAL has brought the one goes that was used longest ago', () => {
  const fixture = new Fixture();
  const first = fixture.add('return 0');
  const second = fixture.add('return 1');
  for (let nth = 2; nth < EVALUATED_MAX; nth += 1) fixture.add(`return ${nth}`);
  assert.equal(fixture.forgotten, []);
  fixture.cache.byDigest(first.digest);
  fixture.add('return 500');
  assert.equal(fixture.forgotten, [second.digest]);
  assert.is(fixture.cache.byDigest(second.digest), undefined);
  assert.is(fixture.cache.byDigest(first.digest), first);
  assert.equal([fixture.figures[0], fixture.figures[2]], [EVALUATED_MAX, 1]);
});

scripts('what SCRIPT LOAD has brought stays, also where EVAL was first', () => {
  const fixture = new Fixture();
  const evaluated = fixture.add('return 0');
  fixture.add('return 0', true);
  const loaded = fixture.add('return 1', true);
  for (let nth = 2; nth < 3 * EVALUATED_MAX; nth += 1) fixture.add(`return ${nth}`);
  assert.is(fixture.cache.byDigest(evaluated.digest), evaluated);
  assert.is(fixture.cache.byDigest(loaded.digest), loaded);
  assert.is(fixture.figures[0], EVALUATED_MAX + 2);
});

scripts('a forgotten one is new when it comes again', () => {
  const fixture = new Fixture();
  const script = fixture.add('return 1');
  script.knownTo[0] = true;
  fixture.cache.forget(script.digest);
  fixture.cache.forget(script.digest);
  assert.equal(fixture.forgotten, [script.digest]);
  assert.equal(fixture.figures, [0, 0, 0]);
  const again = fixture.add('return 1');
  assert.is.not(again, script);
  assert.equal(again.knownTo, []);
});

scripts('clear forgets all, and tells nobody', () => {
  const fixture = new Fixture();
  const script = fixture.add('return 1', true);
  fixture.cache.clear();
  assert.equal([...fixture.cache.all], []);
  assert.equal(fixture.forgotten, []);
  assert.equal(fixture.figures, [0, 0, 0]);
  assert.is.not(fixture.add('return 1'), script);
});

function newPage(): Page {
  const shape = {
    databases: 1,
    commands: commandTable.entries.length,
    errorCodes: ERROR_CODES.length,
  };
  return new Page(shape, new ArrayBuffer(Page.bytes(shape)));
}

scripts.run();
