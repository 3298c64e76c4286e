/** Web pages that have a browser send HTTP to the command port get nowhere, as with Redis. */
import { type ChildServer, startServer, talk, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const crossProtocol = suite('cross-protocol');

const PASSWORD = 'a-password';
const BODY = 'SET attacked 1\r\n';

let open: ChildServer;
let closed: ChildServer;

crossProtocol.before(async () => {
  open = await startServer();
  closed = await startServer({ password: PASSWORD });
});
crossProtocol.after(async () => {
  await Promise.all([open.stop(), closed.stop()]);
});

/** Requests that a browser sends, and what the command port answers before it has recognized them as HTTP. */
const requests: readonly (readonly [what: string, sent: string, answer: string])[] = [
  ['a POST', `POST / HTTP/1.1\r\nHost: localhost:6379\r\n\r\n${BODY}`, ''],
  ['a post in small letters', `post /\r\n${BODY}`, ''],
  ['a POST as an array', `*2\r\n$4\r\nPOST\r\n$1\r\n/\r\n${BODY}`, ''],
  ['a host', `Host: localhost:6379\r\n${BODY}`, ''],
  ['a host in small letters', `host:\r\n${BODY}`, ''],
  ['a POST in a transaction', `MULTI\r\nSET attacked 1\r\nPOST\r\nEXEC\r\n${BODY}`, ''],
];

for (const [what, sent, answer] of requests) {
  crossProtocol(`${what} ends the connection without a word`, async () => {
    for (const server of [open, closed]) assert.is(await talk(server, sent), answer);
  });
}

crossProtocol('a GET ends with its Host', async () => {
  const sent = `GET / HTTP/1.1\r\nHost: localhost:6379\r\n\r\n${BODY}`;
  assert.is(await talk(open, sent), '');
  const client = await open.client();
  assert.is(await client.call('EXISTS', 'attacked'), 0, 'nothing was done');
  assert.is(await client.call('SET', 'post', 'host:'), 'OK', 'as arguments they are words');
});

crossProtocol('the log says so once a minute', async () => {
  const line =
    /Possible SECURITY ATTACK detected\. It looks like somebody is sending POST or Host: commands to Redis\..* Connection from 127\.0\.0\.1:\d+ aborted\./g;
  for (const server of [open, closed]) {
    await until(() => server.stdout.includes('SECURITY ATTACK'), 'it is logged');
    assert.is(server.stdout.match(line)?.length, 1);
    assert.match(server.stdout, /WARN +main cross-protocol /);
  }
});

crossProtocol.run();
