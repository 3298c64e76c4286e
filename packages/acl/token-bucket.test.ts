import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenBucket } from './token-bucket.ts';

const bucket = suite('token bucket');

function full(perSecond: number): TokenBucket {
  const tokens = new TokenBucket();
  tokens.perSecond = perSecond;
  tokens.refill(1);
  return tokens;
}

bucket('gives those of one second at once, and no more', () => {
  const tokens = full(10);
  for (let nth = 0; nth < 10; nth += 1) assert.ok(tokens.take(1));
  assert.not(tokens.take(1));
});

bucket('loses no fraction to who hammers', () => {
  const tokens = full(10);
  while (tokens.take(1));
  let taken = 0;
  // A million looks in ten seconds.
  for (let us = 1; us <= 10_000_000; us += 10) {
    tokens.refill(1 + us);
    if (tokens.take(1)) taken += 1;
  }
  assert.ok(taken >= 99 && taken <= 100, String(taken));
});

bucket('fills up to one second', () => {
  const tokens = full(5);
  tokens.refill(3_600_000_000);
  let taken = 0;
  while (tokens.take(1)) taken += 1;
  assert.is(taken, 5);
});

bucket('a full one pays for any batch, which is owed', () => {
  const tokens = full(10);
  assert.ok(tokens.take(25));
  assert.is(tokens.tokens, -15);
  tokens.refill(1 + 1_500_000);
  assert.not(tokens.take(1));
  tokens.refill(1 + 1_600_000);
  assert.ok(tokens.take(1));
});

bucket('what is free is free also for who owes', () => {
  const tokens = full(1);
  tokens.owe(10);
  assert.ok(tokens.take(0));
  assert.not(tokens.take(1));
});

bucket('a clock that goes back gives and takes nothing', () => {
  const tokens = full(10);
  while (tokens.take(1));
  tokens.refill(5_000_000);
  const { tokens: before } = tokens;
  tokens.refill(1_000_000);
  assert.is(tokens.tokens, before);
});

bucket('another rate begins full, the same one does not', () => {
  const tokens = full(2);
  assert.ok(tokens.take(2));
  tokens.perSecond = 2;
  assert.not(tokens.take(1));
  tokens.perSecond = 3;
  assert.ok(tokens.take(3));
});

bucket.run();
