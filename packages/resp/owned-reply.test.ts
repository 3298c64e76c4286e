import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OwnedReply } from './owned-reply.ts';

const replies = suite('owned reply');

const MIB = 1024 * 1024;

const textOf = (reply: OwnedReply): string =>
  Buffer.concat([...reply.takeChunks(), reply.take()]).toString('latin1');

replies('a short reply is one piece', () => {
  const reply = new OwnedReply();
  reply.bulk(Buffer.from('value'));
  assert.equal(reply.chunks, []);
  assert.is(textOf(reply), '$5\r\nvalue\r\n');
});

replies('a long reply is several pieces, none of which is moved', () => {
  const reply = new OwnedReply();
  const value = Buffer.alloc(MIB, 'v');
  reply.arrayHeader(5);
  for (let nth = 0; nth < 5; nth += 1) reply.bulk(value);
  assert.ok(reply.chunks.length >= 2, String(reply.chunks.length));
  const item = `$${String(MIB)}\r\n${value.toString()}\r\n`;
  assert.ok(textOf(reply) === `*5\r\n${item.repeat(5)}`);
});

replies('what is given away is a piece as it is', () => {
  const reply = new OwnedReply();
  const value = Buffer.alloc(MIB, 'v');
  reply.givenBulk(value);
  reply.givenBulk(Buffer.from('short'));
  assert.is(reply.chunks[1], value);
  assert.ok(textOf(reply) === `$${String(MIB)}\r\n${value.toString()}\r\n$5\r\nshort\r\n`);
});

replies('an array whose length is not known yet stays in one piece', () => {
  const reply = new OwnedReply();
  const value = Buffer.alloc(MIB, 'v');
  const mark = reply.beginArray(3);
  for (let nth = 0; nth < 12; nth += 1) reply.bulk(value);
  assert.equal(reply.chunks, []);
  reply.endArray(mark, 3, 12);
  const item = `$${String(MIB)}\r\n${value.toString()}\r\n`;
  assert.ok(textOf(reply) === `*12\r\n${item.repeat(12)}`);
});

replies('forgets what was written behind a place in an earlier piece', () => {
  const reply = new OwnedReply();
  reply.simple('first');
  const { at } = reply;
  for (let nth = 0; nth < 4; nth += 1) reply.bulk(Buffer.alloc(MIB));
  assert.ok(reply.chunks.length > 0);
  reply.goBackTo(0, at);
  reply.simple('second');
  assert.is(textOf(reply), '+first\r\n+second\r\n');
});

replies.run();
