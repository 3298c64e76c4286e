/** Weights of slots, of nodes that have statistics of them and of those that have none. */

import { SLOT_COUNT } from '#base';
import { ReplyError, type Reply } from '#resp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addWeights, type Measure } from './slot-weights.ts';

const weighing = suite('weights of slots');

const unknown = new ReplyError("ERR unknown subcommand 'SLOT-STATS'. Try CLUSTER HELP.");

async function weigh(measure: Measure, statistics: Reply | ReplyError): Promise<Float64Array> {
  const weights = new Float64Array(SLOT_COUNT);
  const call = (...words: readonly string[]): Promise<Reply> => {
    if (words[0] === 'SCAN') {
      return Promise.resolve(words[1] === '0' ? ['7', ['a', '{a}2']] : ['0', ['foo']]);
    }
    return statistics instanceof ReplyError
      ? Promise.reject(statistics)
      : Promise.resolve(statistics);
  };
  await addWeights({ call }, measure, weights);
  return weights;
}

async function refusalOf(measure: Measure, statistics: Reply | ReplyError): Promise<string> {
  return weigh(measure, statistics).then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );
}

weighing('without statistics keys are counted by a walk', async () => {
  const weights = await weigh('keys', unknown);
  assert.equal([weights[15_495], weights[12_182]], [2, 1]);
});

weighing('statistics are taken where there are any', async () => {
  const rows = [[5, ['key-count', 3, 'cpu-usec', 70]]];
  assert.is((await weigh('keys', rows))[5], 3);
  assert.is((await weigh('load', rows))[5], 70);
  assert.match(await refusalOf('memory', rows), /does not report memory-bytes/);
});

weighing('other measures need statistics', async () => {
  assert.match(await refusalOf('load', unknown), /needs CLUSTER SLOT-STATS/);
  assert.match(await refusalOf('keys', new ReplyError('NOPERM no')), /NOPERM/);
});

weighing.run();
