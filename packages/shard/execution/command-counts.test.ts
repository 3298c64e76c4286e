/** Time that counting takes is no command's. */
import { commandTable } from '#commands';
import { commandLogs, Page } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Frame } from '../frames/frame.ts';
import { CommandCounts } from './command-counts.ts';

const counts = suite('command counts');

const COMMANDS = 1_000;

counts('a command begins behind the counting of those before it', () => {
  const shape = { databases: 1, commands: commandTable.entries.length, errorCodes: 1 };
  const page = new Page(shape, new SharedArrayBuffer(Page.bytes(shape)));
  let clockUs = 0;
  const options = {
    page,
    sender: { writer: { errorText: null } },
    slowness: { noticeUs: Infinity, ring: { has: () => true }, logs: commandLogs(0, () => 0) },
  } as unknown as ConstructorParameters<typeof CommandCounts>[0];
  const present = {
    nowUs: 0,
    unixLeadMs: 0,
    isProbed: false,
    readClock: () => {
      present.nowUs = clockUs;
    },
  };
  const all = new CommandCounts(options, present as never);
  const get = commandTable.byName('GET')!;
  const gaps: number[] = [];
  for (let nth = 0; nth < COMMANDS; nth += 1) {
    const startUs = present.nowUs;
    gaps.push(startUs - clockUs);
    clockUs += 5;
    present.nowUs = clockUs;
    // Counting, and other work after a command.
    clockUs += 1;
    all.ran({ words: new Int32Array(64), word: 8 } as Frame, get, startUs, 0);
  }
  assert.is(gaps.filter((us) => us === 0).length, 4, 'the first, and one behind each full batch');
  all.count();
  assert.is(page.get('commands'), COMMANDS);
  assert.is(page.command(get.id, 'calls'), COMMANDS);
});

counts.run();
