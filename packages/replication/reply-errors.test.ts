import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReplyErrors } from './reply-errors.ts';

const replies = suite('errors in replies');

/** Returns the errors found in replies that arrive in pieces of `pieceBytes` bytes. */
function found(text: string, pieceBytes: number): string[] {
  const errors: string[] = [];
  const reader = new ReplyErrors((error, { nth, left }) => errors.push(`${nth}/${left} ${error}`));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    reader.take(bytes.subarray(at, at + pieceBytes));
  }
  return errors;
}

const REPLIES = [
  ['+OK', ':-1', '-ERR one'],
  ['$5', '-ERR ', '$0', '', '$-1', '-WRONGTYPE two'],
  ['*3', ':1', '-ERR three', '*2', ':1', '-ERR four', '*0', '*-1', '-ERR five', ':1'],
]
  .flat()
  .map((line) => `${line}\r\n`)
  .join('');

for (const pieceBytes of [1, 2, 3, 7, 1_000]) {
  replies(`are found with their places, in pieces of ${pieceBytes} bytes`, () => {
    assert.equal(found(REPLIES, pieceBytes), [
      '2/0 ERR one',
      '6/0 WRONGTYPE two',
      '7/2 ERR three',
      '7/1 ERR four',
      '10/0 ERR five',
    ]);
  });
}

replies('a long error is cut', () => {
  const [error] = found(`-${'x'.repeat(5_000)}\r\n`, 1_000);
  assert.is(error?.length, '0/0 '.length + 1_023);
});

replies.run();
