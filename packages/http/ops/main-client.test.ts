import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCall, PortCalls } from '#link';
import { HttpError } from '../protocol/answer.ts';
import { MainClient } from './main-client.ts';

const client = suite('client to main');

/** A client and its end of the port; main is stuck while `silentUs` is not 0. */
function newClient() {
  const sent: string[] = [];
  const calls: PortCalls = new PortCalls({
    postMessage(message) {
      const { kind, name } = message as { kind: 'ask'; name: string };
      if (isCall({ kind })) sent.push(name);
    },
  });
  const main = { silentUs: 0 };
  const mainClient = new MainClient({
    calls,
    standstill: () =>
      main.silentUs === 0
        ? null
        : { silentUs: main.silentUs, doing: 'has been running keys of client 7 for 2.0 s' },
    wallMs: () => Date.UTC(2026, 10, 28, 12, 0, 2),
  });
  const reply = (answer: unknown): void => {
    calls.take({ kind: 'answer', id: sent.length, answer });
  };
  return { sent, main, mainClient, reply };
}

async function errorOf(asked: Promise<unknown>): Promise<HttpError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, HttpError);
  return error as HttpError;
}

client('returns the reply of main', async () => {
  const { mainClient, reply, sent } = newClient();
  const asked = mainClient.ask('latency-doctor', null);
  reply('text');
  assert.is(await asked, 'text');
  assert.equal(sent, ['latency-doctor']);
});

client(
  'sends nothing to a stuck main, and says since when it is stuck and in which command',
  async () => {
    const { mainClient, main, sent } = newClient();
    main.silentUs = 2_000_000;
    const error = await errorOf(mainClient.ask('kill-client', { id: 7 }));
    assert.equal([error.status, error.message], [503, 'the main thread is stuck']);
    assert.is(
      error.detail,
      'main has been running keys of client 7 for 2.0 s, since 2026-11-28T12:00:00.000Z',
    );
    assert.equal(sent, []);
  },
);

client('ends a request that waits when main turns out to be stuck', async () => {
  const { mainClient, main, sent } = newClient();
  const asked = mainClient.ask('latency-doctor', null, 60_000);
  main.silentUs = 1_000_000;
  assert.is((await errorOf(asked)).message, 'the main thread is stuck');
  assert.equal(sent, ['latency-doctor']);
});

client('waits for a stuck main if it is patient', async () => {
  const { mainClient, main, reply, sent } = newClient();
  main.silentUs = 2_000_000;
  const asked = mainClient.patient().ask('latency-doctor', null);
  assert.equal(sent, ['latency-doctor']);
  reply('late text');
  assert.is(await asked, 'late text');
});

client.run();
