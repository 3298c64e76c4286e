/** Pieces of a long value are sent in a row, as soon as it is known whether they are the last. */
import { fromLatin1, latin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SyncPieces } from './sync-pieces.ts';

const sent = suite('pieces of a full synchronisation');

const piece = (text: string): Uint8Array => Uint8Array.from(fromLatin1(text));

/** Sends all sendable pieces; incomplete values are marked. */
function sendAll(pieces: SyncPieces): string[] {
  const texts: string[] = [];
  while (!pieces.isEmpty) {
    pieces.sendNext((bytes, goesOn) => {
      texts.push(latin1(bytes) + (goesOn ? '+' : ''));
    });
  }
  return texts;
}

sent('what is whole goes at once, and waits while a long value has begun', () => {
  const pieces = new SyncPieces();
  pieces.add(piece('a'));
  const long = pieces.addLong();
  long.pieces.push(piece('1'));
  assert.equal(sendAll(pieces), ['a'], 'the first may be the last');
  long.pieces.push(piece('2'));
  assert.equal(sendAll(pieces), ['1+']);
  pieces.add(piece('b'));
  assert.equal(sendAll(pieces), []);
  long.pieces.push(piece('3'));
  long.isWhole = true;
  assert.equal(sendAll(pieces), ['2+', '3', 'b']);
});

sent('a value that changes is written whole while another has begun, and comes behind it', () => {
  const pieces = new SyncPieces();
  const first = pieces.addLong();
  first.pieces.push(piece('1'), piece('2'));
  const second = pieces.addLong();
  second.pieces.push(piece('x'), piece('y'));
  second.isWhole = true;
  assert.equal(sendAll(pieces), ['1+']);
  first.isWhole = true;
  assert.equal(sendAll(pieces), ['2', 'x+', 'y']);
});

sent('nothing is left of what is abandoned', () => {
  const pieces = new SyncPieces();
  pieces.add(piece('a'));
  pieces.addLong().pieces.push(piece('1'), piece('2'));
  pieces.clear();
  assert.ok(pieces.isEmpty);
  pieces.add(piece('b'));
  assert.equal(sendAll(pieces), ['b']);
});

sent.run();
