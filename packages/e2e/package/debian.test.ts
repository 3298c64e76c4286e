/**
 * The Debian package, installed, run, upgraded, removed and purged in a copy of this system's files that only this test sees.
 */
// test-tier: long

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, needs, programOrNone } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './packed.ts';

const debian = suite('the Debian package');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-debian-'));
let archive = '';

debian.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Lays a memory file system over the files of this machine, and runs a script on top of both. */
const ON_TOP = `
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/system"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/system"
mount -t tmpfs tmpfs "$1/system/tmp"
mount -t tmpfs tmpfs "$1/system/run"
mount --rbind /dev "$1/system/dev"
mount -t proc proc "$1/system/proc" || mount --rbind /proc "$1/system/proc"
cp "$2" "$1/system/tmp/svc.deb"
cp "$3" "$1/system/tmp/steps"
exec chroot "$1/system" /usr/bin/env PATH="$PATH:/usr/sbin:/sbin" bash -e /tmp/steps
`;

/** Prints a line for each fact that the test looks at. */
const STEPS = `
facts() {
  echo "$1 program: $(test -x /usr/bin/svc-server && echo there || echo gone)"
  echo "$1 user: $(getent passwd svc | cut -d : -f 6,7)"
  for name in /var/lib/svc /var/log/svc /etc/svc/svc.toml; do
    echo "$1 $name: $(stat -c '%U %G %a' "$name" 2>/dev/null || echo gone)"
  done
  echo "$1 state: $(dpkg-query -W -f '\${db:Status-Status}' svc-server 2>/dev/null || echo none)"
  link=/etc/systemd/system/multi-user.target.wants/svc-server.service
  echo "$1 enabled: $(test -L $link && echo yes || echo no)"
}
install() {
  # Node need not come from a package here.
  dpkg --ignore-depends=nodejs --force-confdef --force-confold --install /tmp/svc.deb >&2
}
install
facts installed
cd /var/lib/svc
places="--port PORT --http-port HTTP"
setpriv --reuid svc --regid svc --clear-groups svc-server --config /etc/svc/svc.toml $places >/tmp/log 2>&1 &
server=$!
until svc-server probe --config /etc/svc/svc.toml $places >&2; do
  kill -0 $server || { cat /tmp/log >&2; exit 1; }
  sleep 0.2
done
exec 3<>/dev/tcp/127.0.0.1/PORT
printf 'SET key value\\r\\n' >&3
read -r reply <&3
echo "running reply: $(echo "$reply" | tr -d '\\r')"
echo "running uid: $(stat -c %U /proc/$server)"
kill -TERM $server
wait $server && echo "running exit: 0"
echo "running data: $(ls /var/lib/svc | grep -c snapshots)"
cd /
echo '# changed' >> /etc/svc/svc.toml
install
echo "upgraded setting: $(grep -c '# changed' /etc/svc/svc.toml)"
dpkg --remove svc-server >&2
facts removed
echo "removed data: $(ls /var/lib/svc | grep -c snapshots)"
dpkg --purge svc-server >&2
facts purged
echo "purged rest: $(find /etc /usr/lib /usr/share /usr/bin /var/lib/systemd -path '*svc-server*' -not -path '*/node_modules/*' | head -n 3 | tr '\\n' ' ')"
`;

/** Facts by their names, with the step in front. */
function factsOf(output: string): Readonly<Record<string, string>> {
  const lines = output.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
}

async function runSteps(): Promise<Readonly<Record<string, string>>> {
  const top = path.join(folder, 'top');
  mkdirSync(top);
  const steps = path.join(folder, 'steps');
  const port = await freePort();
  const ports = { PORT: String(port), HTTP: String(await freePort(port)) };
  writeFileSync(steps, STEPS.replaceAll('PORT', ports.PORT).replaceAll('HTTP', ports.HTTP));
  const args = ['--mount', '--propagation', 'private', 'sh', '-ec', ON_TOP, 'sh'];
  const { status, stdout, stderr } = spawnSync('unshare', [...args, top, archive, steps], {
    encoding: 'utf8',
  });
  assert.is(status, 0, `${stdout}\n${stderr}`);
  return factsOf(stdout);
}

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stdout.write('left out: needs root\n');

if (isRoot && needs('dpkg-deb') && needs('unshare')) {
  debian('is built from this source tree', () => {
    const program = path.join(root, 'dist/scripts/package/debian.js');
    execFileSync(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    archive = path.join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.deb'))!,
    );
    const field = (name: string): string =>
      execFileSync('dpkg-deb', ['--field', archive, name], { encoding: 'utf8' }).trim();
    assert.is(field('Package'), 'svc-server');
    assert.match(field('Depends'), 'nodejs (>= 20)');
    const files = execFileSync('dpkg-deb', ['--contents', archive], { encoding: 'utf8' });
    assert.match(files, './usr/lib/systemd/system/svc-server.service');
    assert.match(files, './usr/lib/tmpfiles.d/svc-server.conf');
    // All belongs to root, regardless of the user that has built it.
    assert.equal(
      files.split('\n').filter((line) => line !== '' && !line.includes(' root/root ')),
      [],
    );
  });

  debian(
    'is installed, serves as its user, keeps settings and data, and leaves nothing',
    async () => {
      const facts = await runSteps();
      const expected = {
        'installed program': 'there',
        'installed user': '/var/lib/svc:/usr/sbin/nologin',
        'installed /var/lib/svc': 'svc svc 750',
        'installed /var/log/svc': 'svc svc 750',
        'installed /etc/svc/svc.toml': 'root svc 640',
        'installed state': 'installed',
        'installed enabled': 'yes',
        'running reply': '+OK',
        'running uid': 'svc',
        'running exit': '0',
        'running data': '1',
        'upgraded setting': '1',
        'removed program': 'gone',
        'removed user': '/var/lib/svc:/usr/sbin/nologin',
        'removed /var/lib/svc': 'svc svc 750',
        'removed /var/log/svc': 'svc svc 750',
        'removed /etc/svc/svc.toml': 'root svc 640',
        'removed state': 'config-files',
        'removed data': '1',
        'purged program': 'gone',
        'purged user': '',
        'purged /var/lib/svc': 'gone',
        'purged /var/log/svc': 'gone',
        'purged /etc/svc/svc.toml': 'gone',
        'purged rest': '',
      };
      const found = Object.keys(expected).map((name) => [name, facts[name]]);
      assert.equal(Object.fromEntries(found), expected);
    },
  );

  // Lintian is a hundred packages of Perl: it is used where it is there.
  if (programOrNone('lintian') !== undefined) {
    debian('has no error that lintian knows', () => {
      const args = ['--fail-on', 'error', '--allow-root', archive];
      const { status, stdout } = spawnSync('lintian', args, { encoding: 'utf8' });
      assert.is(status, 0, stdout);
    });
  }
}

debian.run();
