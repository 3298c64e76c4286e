/** Tests which answers are compressed, tagged, and not sent again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gunzipSync } from 'node:zlib';
import { json, TEXT_TYPE, type Answer } from './answer.ts';
import { encodedAnswer } from './encoding.ts';

const encoding = suite('encoding');

const long = json({ text: 'a'.repeat(2_000) });
const none = { acceptEncoding: '', ifNoneMatch: '' };
const gzip = { ...none, acceptEncoding: 'gzip, deflate' };

const headerOf = (answer: Answer, name: string): string | undefined => answer.headers?.[name];

encoding('what is long is compressed for whoever takes it', async () => {
  const sent = await encodedAnswer(long, gzip);
  assert.is(headerOf(sent, 'Content-Encoding'), 'gzip');
  assert.is(headerOf(sent, 'Vary'), 'Accept-Encoding');
  assert.is(gunzipSync(sent.body as Buffer).toString(), long.body);
});

for (const acceptEncoding of ['', 'identity', 'br', 'gzip;q=0', '*;q=0', 'gzip; q=0.0, br']) {
  encoding(`is sent as it is to: ${acceptEncoding}`, async () => {
    const sent = await encodedAnswer(long, { ...none, acceptEncoding });
    assert.is(sent.body, long.body);
    assert.is(headerOf(sent, 'Content-Encoding'), undefined);
  });
}
for (const acceptEncoding of ['*', 'GZIP', 'br;q=1.0, gzip;q=0.5']) {
  encoding(`is compressed for: ${acceptEncoding}`, async () => {
    const sent = await encodedAnswer(long, { ...none, acceptEncoding });
    assert.is(headerOf(sent, 'Content-Encoding'), 'gzip');
  });
}

encoding('what is short, an error or an archive is sent as it is', async () => {
  const archive = { status: 200, type: 'application/gzip', body: Buffer.alloc(4_096) };
  for (const answer of [json({}), json({ text: 'a'.repeat(2_000) }, 503), archive]) {
    assert.is(headerOf(await encodedAnswer(answer, gzip), 'Content-Encoding'), undefined);
  }
});

encoding('what was compressed by the build is preferred', async () => {
  const built = { ...long, encodings: { br: Buffer.from('B'), gzip: Buffer.from('G') } };
  const both = await encodedAnswer(built, { ...none, acceptEncoding: 'gzip, br' });
  assert.equal([headerOf(both, 'Content-Encoding'), both.body], ['br', Buffer.from('B')]);
  const one = await encodedAnswer(built, gzip);
  assert.equal([headerOf(one, 'Content-Encoding'), one.body], ['gzip', Buffer.from('G')]);
});

encoding('what has not changed is not sent again, however it was compressed', async () => {
  const tag = headerOf(await encodedAnswer(long, gzip), 'ETag')!;
  for (const ifNoneMatch of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
    const again = await encodedAnswer(long, { ...none, ifNoneMatch });
    assert.equal([again.status, again.body, headerOf(again, 'ETag')], [304, '', tag]);
  }
  const changed = await encodedAnswer(json({ text: 'b' }), { ...none, ifNoneMatch: tag });
  assert.is(changed.status, 200);
});

encoding('other text has no tag: it is never the same', async () => {
  const text = { status: 200, type: TEXT_TYPE, body: 'metrics' };
  assert.is(headerOf(await encodedAnswer(text, none), 'ETag'), undefined);
});

encoding.run();
