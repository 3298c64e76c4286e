/** Responses of HTTP servers, plain and with TLS, complete and truncated. */

import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Certificates, pem } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { httpGet } from './http-get.ts';

const requests = suite('HTTP questions');

const access = { token: '', idleMs: 10_000, authorities: [], certificate: '', key: '' };

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  return (server.address() as AddressInfo).port;
}

async function bodyOf({ body }: Awaited<ReturnType<typeof httpGet>>): Promise<string> {
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
}

const answers: RequestListener = ({ headers, url }, response) => {
  const text = `${url ?? ''} ${headers.authorization ?? 'nobody'}`;
  if (url === '/broken') {
    response.writeHead(200, { 'Content-Length': 100 }).write('half');
    response.flushHeaders();
    setImmediate(() => response.destroy());
    return;
  }
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(text) }).end(text);
};

requests('take the token along, and tell how long the answer is', async () => {
  const server = createServer(answers);
  const port = await listen(server);
  const reply = await httpGet(`http://127.0.0.1:${port}/a`, { ...access, token: 'secret' });
  assert.equal([reply.status, reply.byteCount], [200, '/a Bearer secret'.length]);
  assert.is(await bodyOf(reply), '/a Bearer secret');
  server.close();
});

requests('break off with an error where the rest does not come', async () => {
  const server = createServer(answers);
  const port = await listen(server);
  const failure = await httpGet(`http://127.0.0.1:${port}/broken`, access)
    .then(bodyOf)
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  assert.instance(failure, Error);
  server.close();
});

requests('over TLS believe the given authorities alone', async () => {
  const certificates = new Certificates();
  const { authority, server: pair } = certificates;
  const files = { cert: pem(pair.certificate), key: pem(pair.key) };
  const server = createSecureServer(files, answers);
  const port = await listen(server);
  const url = `https://127.0.0.1:${port}/a`;
  const authorities = [pem(authority.certificate).toString()];
  assert.is(await bodyOf(await httpGet(url, { ...access, authorities })), '/a nobody');
  const failure = await httpGet(url, access).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  assert.match(failure?.message ?? '', 'certificate');
  server.close();
  certificates.remove();
});

requests.run();
