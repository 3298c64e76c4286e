/** The unit of systemd, by systemd's own checks. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { needs } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const units = suite('the unit of systemd');

const configs = fileURLToPath(new URL('../../../../configs/systemd', import.meta.url));
const text = readFileSync(path.join(configs, 'svc-server.service'), 'utf8');
const folder = mkdtempSync(path.join(tmpdir(), 'svc-unit-'));

units.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Highest exposure that is accepted, of 10, by systemd's own weights. Memory that is written and executed costs 0.1 of it. */
const EXPOSURE_MAX = 1.5;

/** Writes a unit whose program is there on this machine. */
function written(unit: string): string {
  const file = path.join(folder, 'svc-server.service');
  writeFileSync(file, unit.replace('/usr/bin/svc-server', process.execPath));
  return file;
}

interface Checked {
  readonly status: number | null;
  readonly output: string;
}

function analyze(...args: readonly string[]): Checked {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

if (needs('systemd-analyze')) {
  units('is accepted without a warning', () => {
    assert.equal(analyze('verify', '--man=no', written(text)), { status: 0, output: '' });
    const faulty = analyze('verify', '--man=no', written(text.replace('KillMode=', 'KilMode=')));
    assert.match(faulty.output, /Unknown key .*KilMode/);
  });

  units('exposes little', () => {
    const threshold = `--threshold=${String(EXPOSURE_MAX * 10)}`;
    const security = (unit: string): Checked =>
      analyze('security', '--offline=yes', threshold, written(unit));
    const { status, output } = security(text);
    assert.is(status, 0, output);
    assert.is.not(security(text.replace('ProtectSystem=strict\n', '')).status, 0);
  });
}

if (needs('systemd-tmpfiles')) {
  units('has an entry for its runtime folder that systemd-tmpfiles reads', () => {
    const entry = path.join(folder, 'svc-server.conf');
    // The user of the package is not on this machine.
    const lines = readFileSync(path.join(configs, 'svc-server.tmpfiles.conf'), 'utf8');
    writeFileSync(entry, lines.replaceAll(' svc svc ', ' - - '));
    const args = ['--create', `--root=${folder}`, entry];
    const { status, stderr } = spawnSync('systemd-tmpfiles', args, { encoding: 'utf8' });
    assert.equal([status, stderr], [0, '']);
    const [name] = /\/run\/\S+/.exec(lines) ?? [''];
    assert.ok(text.includes(`ReadWritePaths=-${name}\n`));
  });
}

units.run();
