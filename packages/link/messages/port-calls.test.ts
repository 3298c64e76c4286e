import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CallError, isCall, PortCalls, type CallMessage } from './port-calls.ts';

const calls = suite('calls over a port');

/** Two ends whose messages arrive a turn later, as those of a port do. */
function pair(): readonly [PortCalls, PortCalls] {
  const ends: PortCalls[] = [];
  const end = (other: number): PortCalls =>
    new PortCalls({
      postMessage(message) {
        setImmediate(() => ends[other]!.take(structuredClone(message) as CallMessage));
      },
    });
  ends.push(end(1), end(0));
  return [ends[0]!, ends[1]!];
}

async function problemOf(asked: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof CallError) return [error.problem, error.message];
  }
  return ['none', ''];
}

calls('are answered, also later, and to the one who asked', async () => {
  const [one, other] = pair();
  other.on('double', (question) => (question as number) * 2);
  let answer: (value: string) => void = () => undefined;
  other.on('slow', () => new Promise((resolve) => (answer = resolve)));
  const slow = one.ask('slow', null, 1_000);
  assert.equal(
    await Promise.all([one.ask('double', 2, 1_000), one.ask('double', 5, 1_000)]),
    [4, 10],
  );
  answer('slow');
  assert.is(await slow, 'slow');
});

calls('say why there is no answer', async () => {
  const [one, other] = pair();
  other.on('never', () => new Promise(() => undefined));
  other.on('throws', () => {
    throw new Error('no disk');
  });
  assert.equal(await problemOf(one.ask('never', null, 5)), [
    'late',
    'no reply to never within 5 ms',
  ]);
  assert.equal(await problemOf(one.ask('throws', null, 1_000)), ['failed', 'no disk']);
  assert.equal(await problemOf(one.ask('what', null, 1_000)), ['unknown', 'no handler for what']);
});

calls('forget an answer that comes too late', async () => {
  const [one, other] = pair();
  let answer: (value: unknown) => void = () => undefined;
  other.on('late', () => new Promise((resolve) => (answer = resolve)));
  other.on('next', () => 'next');
  assert.is((await problemOf(one.ask('late', null, 5)))[0], 'late');
  answer('too late');
  assert.is(await one.ask('next', null, 1_000), 'next');
});

calls('are told from other messages by their kind', () => {
  assert.equal(
    ['ask', 'answer', 'problem', 'log', 'stop'].map((kind) => isCall({ kind })),
    [true, true, true, false, false],
  );
});

calls.run();
