/** Output of a start, and how little must be loaded for it. */
// test-limit: 60s
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mainFile, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const start = suite('start');

/** Everything that a file of the bundle has loaded before its first line runs. */
function loadedWith(entry: string): readonly string[] {
  const folder = path.dirname(mainFile);
  const found = new Set([entry]);
  for (const file of found) {
    if (!file.startsWith('./')) continue;
    const text = readFileSync(path.join(folder, file), 'utf8');
    for (const [, imported = ''] of text.matchAll(/^import (?:[^;]*? from )?"([^"]+)";/gm)) {
      found.add(imported);
    }
  }
  return [...found];
}

start('the ops thread begins without commands, metrics, or packages of others', () => {
  const loaded = loadedWith('./ops.js');
  assert.ok(loaded.includes('./lib-link.js'), loaded.join());
  const others = loaded.filter((file) => !/^(node:|\.\/)/.test(file));
  assert.equal(others, []);
  const heavy = /commands|store|metrics|log-file|deferred-routes|rolldown-runtime/;
  assert.equal(
    loaded.filter((file) => heavy.test(file)),
    [],
  );
});

start('main loads nothing before the ops thread is on its way', () => {
  const ours = loadedWith('./main.js').filter((file) => !file.startsWith('node:'));
  assert.equal(ours, ['./main.js', './lib-ops-worker.js']);
});

start('its lines are told in the order of what has happened', async () => {
  const server = await startServer({
    http: true,
    args: ['--set', 'logging.level=debug'],
  });
  await until(() => server.stdout.includes('svc is ready'), 'the start is told of');
  const events = [...server.stdout.matchAll(/^\S+ [A-Z]+ +(?:main|ops) (\S+)/gm)].map(
    ([, event]) => event,
  );
  const times = [...server.stdout.matchAll(/^(\S+Z) [A-Z]+ +main /gm)].map(([, time]) => time!);
  assert.equal(times, times.toSorted());
  assert.ok(events.indexOf('http-listening') < events.indexOf('started'), events.join());
  assert.match(server.stdout, `clients at 127.0.0.1:${String(server.port)}`);
  await server.stop();
});

start.run();
