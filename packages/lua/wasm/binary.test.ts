import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adapted } from './adapted.ts';
import { signed, unsigned } from './binary.ts';

const binary = suite('webassembly binary');

const numbers: readonly (readonly [value: number, unsigned: number[]])[] = [
  [0, [0]],
  [127, [127]],
  [128, [0x80, 1]],
  [624_485, [0xe5, 0x8e, 0x26]],
];
for (const [value, bytes] of numbers) {
  binary(`unsigned ${value}`, () => assert.equal(unsigned(value), bytes));
}

const signedNumbers: readonly (readonly [value: number, bytes: number[]])[] = [
  [0, [0]],
  [-1, [0x7f]],
  [63, [63]],
  [64, [0xc0, 0]],
  [-64, [0x40]],
  [-9999, [0xf1, 0xb1, 0x7f]],
];
for (const [value, bytes] of signedNumbers) {
  binary(`signed ${value}`, () => assert.equal(signed(value), bytes));
}

binary('refuses another interpreter than the one it knows', () => {
  assert.throws(() => adapted(new Uint8Array(8)), /1\.18\.10/);
});

binary.run();
