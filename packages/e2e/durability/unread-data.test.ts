/** Start without persistence in a folder that has data: the log warns that they are not loaded. */

import fs from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keptServers } from './kept-server.ts';

const unread = suite('data that a start without persistence leaves unread');

const OFF = ['--set', 'persistence.enabled=no'];
const WARNING = 'data-not-loaded';

const newServer = keptServers(unread);

unread('the log warns of data of the server itself, which stay as they are', async () => {
  const server = newServer();
  const client = await server.start();
  await client.call('SET', 'key', 'value');
  await server.stop();
  assert.is(await server.startedKeys({ args: OFF }), 0);
  await server.reported(`${WARNING} The data in ${server.data} is not loaded`);
  await server.stop();
  assert.is(await server.startedKeys(), 1);
  assert.not.match(server.server.stdout, WARNING);
  await server.stop();
});

unread('the log warns of a snapshot of Redis', async () => {
  const server = newServer();
  const file = path.join(server.data, 'dump.rdb');
  fs.mkdirSync(server.data);
  fs.writeFileSync(file, '');
  await server.start({ args: OFF });
  await server.reported(`${WARNING} The data in ${file} is not loaded`);
  await server.stop();
});

unread('an empty folder is none to warn of', async () => {
  const server = newServer();
  fs.mkdirSync(server.data);
  await server.start({ args: OFF });
  await server.reported('svc is ready');
  assert.not.match(server.server.stdout, WARNING);
  await server.stop();
});

unread.run();
