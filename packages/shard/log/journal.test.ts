/** Tests of who writes what was logged before replies are shown: the shard itself or the disk thread. */
import { systemClock } from '#base';
import { defaultShape, layoutOf, LinkMemory, LogProgress, RingReader, RingWriter } from '#link';
import { RecordKind } from '#persistence';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Journal } from './journal.ts';

const journals = suite('journal');

const RING_BYTES = 64 * 1024;
/** Larger than a frame of that ring may be. */
const LARGE = new Uint8Array(RING_BYTES);

/** A journal whose records are "on disk" as soon as somebody takes them from the ring. */
function fixture() {
  const layout = layoutOf({ ...defaultShape(1), logRingBytes: RING_BYTES });
  const memory = LinkMemory.allocate(layout.bytes);
  const place = layout.logs[0]!;
  const ring = new RingWriter(memory, place);
  const reader = new RingReader(memory, place);
  const progress = new LogProgress(memory, layout.logProgress[0]!);
  const happened: string[] = [];
  const take = (): void => {
    for (let at = reader.next(); at >= 0; at = reader.next()) {
      reader.advance(memory.words[at >> 2]!);
    }
    reader.release();
    progress.setSynced(reader.position);
  };
  const state = { isBusy: false, fails: false };
  const journal = new Journal({
    memory,
    ring,
    progress,
    clock: systemClock,
    epoch: () => 1,
    wake: () => {
      happened.push('disk thread');
      take();
    },
    writeHere: (syncs) => {
      const who = syncs ? 'shard' : 'shard, no sync';
      happened.push(state.isBusy ? 'busy' : who);
      if (state.fails) progress.hasFailed = true;
      else if (!state.isBusy) take();
      return !state.isBusy;
    },
    transfer: () => happened.push('transfer'),
  });
  journal.begin();
  journal.mode = 'sync';
  const change = (value: string | Uint8Array = 'v'): void => {
    journal.effect(['SET', 'k', value], 0, 0);
  };
  const since = (): string[] => happened.splice(0);
  return { journal, progress, ring, state, change, since };
}

journals('the shard does, and only when something was logged', () => {
  const { journal, progress, ring, change, since } = fixture();
  assert.ok(journal.settle());
  assert.equal(since(), []);
  change();
  assert.ok(journal.mustSettle);
  assert.ok(journal.settle());
  assert.equal(since(), ['shard']);
  assert.ok(progress.isSynced(ring.published));
  assert.not.ok(journal.mustSettle);
  assert.ok(journal.settle());
  assert.equal(since(), []);
});

journals('the disk thread does where it is at it', () => {
  const { journal, state, progress, ring, change, since } = fixture();
  state.isBusy = true;
  change();
  assert.ok(journal.settle());
  assert.equal(since(), ['busy', 'disk thread']);
  assert.ok(progress.isSynced(ring.published));
});

journals(
  'the disk thread does where a segment ends or a record goes by message, and then no more',
  () => {
    const { journal, change, since } = fixture();
    journal.cut(2);
    assert.equal(since(), ['disk thread']);
    change();
    assert.ok(journal.settle());
    assert.equal(since(), ['shard'], 'the cut was taken meanwhile');
    change(LARGE);
    change();
    assert.ok(journal.settle());
    assert.equal(since(), ['transfer', 'disk thread']);
    change();
    assert.ok(journal.settle());
    assert.equal(since(), ['shard']);
  },
);

journals(
  'what was logged before it is left is written, and settled by the replies that tell of it',
  () => {
    const { journal, progress, ring, state, change, since } = fixture();
    change();
    journal.transactions = 5;
    journal.leave();
    assert.not.ok(journal.isOn);
    assert.is(ring.backlog, 0);
    assert.equal(since(), ['disk thread']);
    assert.ok(journal.mustSettle);
    // Its file is closed by now.
    state.isBusy = true;
    assert.ok(journal.settle());
    assert.not.ok(journal.mustSettle);
    journal.begin();
    assert.equal([journal.isOn, journal.transactions], [true, 0]);
    assert.ok(progress.isSynced(ring.published));
  },
);

journals('what could not be written when it is left is dropped, and told', () => {
  const { journal, progress, change } = fixture();
  progress.hasFailed = true;
  change();
  journal.leave();
  assert.is(journal.settle(), false);
  assert.ok(journal.settle(), 'once');
});

journals('what the log could not take is told once, by the replies that tell of it', () => {
  const { journal, progress, change, state } = fixture();
  state.fails = true;
  change();
  assert.is(journal.settle(), false);
  assert.ok(progress.hasFailed);
  assert.ok(journal.settle(), 'who only reads');
  change();
  assert.is(journal.settle(), false);
});

journals('in periodic mode replies wait for the write, and not for its sync', () => {
  const { journal, change, since } = fixture();
  journal.mode = 'periodic';
  change();
  assert.ok(journal.mustSettle);
  assert.ok(journal.settle());
  assert.equal(since(), ['shard, no sync']);
  assert.is(journal.waitedUs, 0);
  change(LARGE);
  assert.ok(journal.settle());
  assert.equal(since(), ['transfer', 'disk thread']);
  assert.not.ok(journal.mustSettle);
});

journals(
  'what cannot be written in periodic mode is refused, or answered where that is wanted',
  () => {
    const { journal, progress, change, state } = fixture();
    journal.mode = 'periodic';
    state.fails = true;
    change();
    assert.is(journal.settle(), false);
    assert.ok(progress.hasFailed);
    state.isBusy = true;
    change();
    assert.is(journal.settle(), false);
    journal.answersUnkept = true;
    change();
    assert.ok(journal.settle());
  },
);

for (const mode of ['sync', 'periodic'] as const) {
  journals(
    `${mode} mode: that keys have gone by themselves, and cannot be written, refuses no read`,
    () => {
      const { journal, progress, change, state } = fixture();
      journal.mode = mode;
      state.fails = true;
      journal.states(RecordKind.removed, new Uint8Array(8), 0);
      assert.ok(journal.mustSettle);
      assert.ok(journal.settle());
      assert.ok(progress.hasFailed);
      change();
      assert.is(journal.settle(), false);
    },
  );
}

journals('in async mode nobody waits, and the disk thread is woken', () => {
  const { journal, change, since } = fixture();
  journal.mode = 'async';
  change();
  assert.ok(journal.settle());
  assert.equal(since(), ['disk thread']);
});

journals.run();
