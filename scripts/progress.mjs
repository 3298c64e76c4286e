/** Progress of long steps, shown while they run: a first build takes minutes on a busy machine. */

/** Between two lines of what takes long. */
const TELL_MS = 10_000;

/** Says what a child process does, and again every while until it has ended; answers whether it went well. */
export function withProgress(child, doing, { tellMs = TELL_MS, write = tell } = {}) {
  const startedMs = performance.now();
  write(doing);
  const timer = setInterval(() => {
    write(`${doing}, for ${Math.round((performance.now() - startedMs) / 1_000)} s`);
  }, tellMs);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      write(error.message);
      resolve(false);
    });
    child.on('close', (code) => resolve(code === 0));
  }).finally(() => clearInterval(timer));
}

function tell(line) {
  process.stderr.write(`${line}\n`);
}
