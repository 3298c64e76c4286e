/** Commands that are counted together are counted as those that are counted one by one. */
import { commandTable } from '#commands';
import { AT, Bands, Page, type RawCommand, SlowLog } from '#stats';
import { type Random, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BatchCounts } from './batch-counts.ts';
import { Unsettled } from './unsettled-bands.ts';
import type { Slowness } from './slowness.ts';

const counts = suite('batch counts');

const COMMANDS = commandTable.entries.length;
/** More than are counted together. */
const BATCH_MAX = 700;
const LEAD_MS = 1_000_000;
const LENGTH_MAX = 100;
const TICKS_PER_US = 16;

interface Ran {
  readonly command: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly queueUs: number;
}

function newPage(): Page {
  const shape = { databases: 1, commands: COMMANDS, errorCodes: 1 };
  const page = new Page(shape, new SharedArrayBuffer(Page.bytes(shape)));
  page.actor = 3;
  return page;
}

function fixture(slowerThanUs: number, eventUs: number, journal?: { holdsReplies: boolean }) {
  const page = newPage();
  let ids = 0;
  const slowLog = new SlowLog(0, (count) => (ids += count) - count, {
    isGoing: () => false,
    argumentsAt: () => ({ source: new Uint8Array(0), count: 0, at: () => 0, length: () => 0 }),
  });
  slowLog.configure({ threshold: slowerThanUs, lengthMax: LENGTH_MAX, argumentBytesMax: 10 });
  const events: number[] = [];
  const commandAt = (place: number): RawCommand => ({
    place,
    position: place,
    count: 0,
    database: place,
    client: { id: place, address: '', name: '', user: '' },
  });
  const slowness = {
    noticeUs: Math.min(slowLog.threshold, eventUs),
    eventUs,
    slowLog,
    ring: { commandAt },
    occurred: (_: string, us: number) => events.push(us),
  } as unknown as Slowness;
  const unsettled = new Unsettled({ page, journal });
  unsettled.bands = new Bands(true, [0.01, 0.02]);
  const batch = new BatchCounts({ page, slowness, unsettled, unixLeadMs: () => LEAD_MS });
  return { page, slowLog, events, batch, unsettled };
}

function bytesOf({ values }: Page): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

function commandsOf(random: Random): Ran[] {
  let endUs = 5;
  return Array.from({ length: random.integer(1, BATCH_MAX) }, () => {
    const startUs = endUs + random.integer(0, 1);
    endUs = startUs + random.integer(0, 400) / 16;
    const command = random.integer(0, COMMANDS - 1);
    return { command, startUs, endUs, queueUs: random.integer(0, 30) };
  });
}

counts(
  'are those of one by one, and the slowest are logged and told of',
  withRandom((random) => {
    for (let round = 0; round < 30; round += 1) {
      const slowerThanUs = random.integer(-1, 12);
      const eventUs = random.integer(1, 30);
      const { page, slowLog, events, batch } = fixture(slowerThanUs, eventUs);
      const expected = newPage();
      expected.actor = 0;
      const ran = commandsOf(random);
      for (const [nth, { command, startUs, endUs, queueUs }] of ran.entries()) {
        batch.add(command, startUs, endUs, queueUs, nth);
        if (batch.isFull) batch.count();
        expected.executed(command, (endUs - startUs) * TICKS_PER_US);
        expected.queued(queueUs * TICKS_PER_US);
        expected.countBand([10, 20, Infinity].findIndex((us) => queueUs + endUs - startUs <= us));
        expected.add('commands', 1);
        expected.add('queueUs', queueUs);
        expected.add('executeTicks', (endUs - startUs) * TICKS_PER_US);
        if (slowLog.isOn && endUs - startUs >= slowerThanUs) expected.slow(endUs - startUs);
      }
      batch.count();
      batch.count();
      // Half a million doubles: compared one by one only where their bytes differ.
      if (!bytesOf(page).equals(bytesOf(expected))) {
        assert.equal([...page.values], [...expected.values]);
      }
      assert.is(page.actor, 3);
      const isLogged = (us: number): boolean => slowLog.isOn && us >= slowerThanUs;
      const logged = [...ran.entries()].filter(([, { startUs, endUs }]) =>
        isLogged(endUs - startUs),
      );
      const entries = slowLog.newest(0, Infinity);
      assert.equal(
        entries.map(({ unixMs, executeUs, queueUs, database }) => [
          unixMs,
          executeUs,
          queueUs,
          database,
        ]),
        logged
          .map(([nth, { startUs, endUs, queueUs }]) => [
            LEAD_MS + endUs / 1_000,
            endUs - startUs,
            queueUs,
            nth,
          ])
          .slice(-LENGTH_MAX)
          .reverse(),
      );
      if (logged.length > 0) assert.is(entries[0]!.id, logged.length - 1);
      assert.equal(
        events,
        ran.map(({ startUs, endUs }) => endUs - startUs).filter((us) => us >= eventUs),
      );
    }
  }),
);

counts('what waits for the disk is counted with its wait', () => {
  const { page, slowLog, batch, unsettled } = fixture(0, Infinity, { holdsReplies: true });
  batch.add(1, 100, 104, 3, 0);
  batch.count();
  const bands = (): number[] => Array.from({ length: 3 }, (_, row) => page.band(row));
  assert.equal(bands(), [0, 0, 0]);
  unsettled.settle(10, 114);
  assert.equal(bands(), [0, 1, 0], '3 of queue, 4 of execution and 10 of wait');
  assert.is(slowLog.newest(0, 1)[0]!.durableUs, 10);
  assert.is(page.values[AT.durableWaits], 1);
});

counts.run();
