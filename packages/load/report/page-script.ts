/** Script of the page of `--html`, in the JavaScript of browsers: draws the plots from the document in the page. */

export const PAGE_SCRIPT = `'use strict';
const data = JSON.parse(document.getElementById('document').textContent);
const COLORS = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed', '#0891b2', '#be185d', '#4d7c0f'];
const name = (run) => data.servers[run.server] + (data.runs.length > data.servers.length ? ', round ' + run.round : '');
const color = (nth) => COLORS[nth % COLORS.length];

function draw(id, title, options, table) {
  const target = document.getElementById(id);
  const size = () => ({ width: Math.max(320, target.clientWidth), height: 320 });
  const plot = new uPlot({ title, ...size(), ...options }, table, target);
  addEventListener('resize', () => plot.setSize(size()));
}

function series(label, nth, width) {
  return { label, stroke: color(nth), width: width || 1.5, points: { show: false }, spanGaps: false };
}

/** Seconds of all runs, and for each wanted line its value at each second. */
function bySecond(lines) {
  const last = Math.max(0, ...data.runs.flatMap((run) => run.series.map((point) => point.second)));
  const seconds = Array.from({ length: last + 1 }, (_, second) => second);
  return [seconds, ...lines.map(({ run, value }) => {
    // A last second that is not whole looks like a fall.
    const whole = run.series.filter((point) => run.series.length === 1 || point.second + 1 <= run.seconds + 0.02);
    const points = new Map(whole.map((point) => [point.second, value(point)]));
    return seconds.map((second) => points.get(second) ?? null);
  })];
}

const axis = (label, more) => ({ label, ...more });
const timeScale = { x: { time: false } };
const logScale = { x: { time: false }, y: { distr: 3 } };
const count = (value) => value.toLocaleString('en-US');

const throughput = data.runs.map((run) => ({ run, label: name(run), value: (point) => point.commands }));
draw('throughput', 'Commands per second', {
  scales: timeScale,
  series: [{ label: 'second' }, ...throughput.map(({ label }, nth) => series(label, nth))],
  axes: [axis('seconds'), axis('', { size: 80, values: (_, ticks) => ticks.map(count) })],
}, bySecond(throughput));

const kinds = data.runs.length === 1 ? ['p50_us', 'p99_us', 'p99.9_us', 'max_us'] : ['p99_us'];
const latency = data.runs.flatMap((run) => kinds.map((kind) => ({
  run,
  label: (data.runs.length === 1 ? '' : name(run) + ' ') + kind.replace('_us', ''),
  value: (point) => point[kind] > 0 ? point[kind] / 1000 : null,
})));
draw('latency', 'Latency of each second, ms', {
  scales: logScale,
  series: [{ label: 'second' }, ...latency.map(({ label }, nth) => series(label, nth))],
  axes: [axis('seconds'), axis('', { size: 80 })],
}, bySecond(latency));

/** Latency at which a share of all commands is reached. */
function latencyAt(distribution, share) {
  const total = distribution[distribution.length - 1][1];
  const wanted = Math.max(1, Math.ceil(total * share));
  return distribution.find(([, sum]) => sum >= wanted)[0] / 1000;
}

const measured = data.runs.filter((run) => run.distribution.length > 0);
const nines = Math.max(1, ...measured.map((run) => Math.log10(Math.max(10, run.commands))));
const grid = Array.from({ length: Math.floor(nines / 0.02) + 1 }, (_, nth) => nth * 0.02);
draw('percentiles', 'Latency by percentile, ms', {
  scales: logScale,
  series: [
    { label: 'percentile', value: (_, x) => x === null ? '' : (100 * (1 - 10 ** -x)).toFixed(3) },
    ...measured.map((run, nth) => series(name(run), nth)),
  ],
  axes: [
    axis('percentile', { values: (_, ticks) => ticks.map((x) => x % 1 === 0 ? String(+(100 * (1 - 10 ** -x)).toFixed(6)) : '') }),
    axis('', { size: 80 }),
  ],
}, [grid, ...measured.map((run) => grid.map((x) => latencyAt(run.distribution, 1 - 10 ** -x)))]);

const failures = data.runs.map((run) => ({ run, label: name(run), value: (point) => point.errors }));
if (data.runs.some((run) => run.errors.total > 0)) {
  draw('errors', 'Errors per second', {
    scales: timeScale,
    series: [{ label: 'second' }, ...failures.map(({ label }, nth) => series(label, nth))],
    axes: [axis('seconds'), axis('', { size: 80 })],
  }, bySecond(failures));
}
`;
