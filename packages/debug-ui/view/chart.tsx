/** A chart over time, with a text summary for screen readers. */

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import { clockTime, dateTime } from '../model/format.ts';
import { lonely, summaryOf, type Columns } from '../model/history.ts';
import { colour, useTheme } from './theme.ts';

export interface Line {
  readonly label: string;
  /** A name among the colours of the style sheet. */
  readonly colour: string;
  readonly isFilled?: boolean;
}

export interface ChartProps {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly data: Columns;
  readonly format: (value: number | null | undefined) => string;
  readonly height?: number;
  /** True when the axis is logarithmic above 1, for times that differ by orders of magnitude. */
  readonly isLog?: boolean;
  /** True when nothing was measured between two values, so that no line connects them. */
  readonly isSparse?: boolean;
  /** True when the axis counts in powers of two. */
  readonly isBinary?: boolean;
  /** The axis reaches at least so far. */
  readonly least?: number;
  /** Charts of one group share their cursor. Without a group it is one of the last minutes. */
  readonly group?: string;
  /** Seconds at which the chart starts and ends; by default as its data does. */
  readonly span?: readonly [from: number, to: number];
  /** Moments with a line over the whole height. */
  readonly marks?: readonly Mark[];
  /** Called with Unix milliseconds when a time is selected by dragging. */
  readonly zoom?: (fromMs: number, toMs: number) => void;
}

interface Mark {
  readonly seconds: number;
  readonly isBad: boolean;
}

const HEIGHT = 132;
/** As much as the server keeps. */
const WINDOW_SECONDS = 300;
const SPAN_SECONDS_MIN = 30;
/** In seconds. */
const TIME_STEPS = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400];
/** From this step on, the axis has dates; where in a time with its date the month and the minute are. */
const DATED_STEP_SECONDS = 21_600;
const DATE_FROM = 5;
const DATE_TO = 16;
const POWERS_OF_TWO = Array.from({ length: 50 }, (_, power) => 2 ** power);
const AXIS_FONT = '10px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';

export function Chart(props: ChartProps): JSX.Element {
  const { title, lines, data, format } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(data);
  latest.current = data;
  const current = useRef(props);
  current.current = props;
  const { shown } = useTheme();
  const labels = lines.map(({ label }) => label).join('|');
  useEffect(() => {
    const element = place.current!;
    const options = optionsOf(props, element.clientWidth, () => latest.current);
    if (props.span !== undefined) {
      options.scales!['x']!.range = () => [...current.current.span!];
    }
    options.plugins!.push(
      markLines(() => current.current),
      selection(() => current.current),
    );
    plot.current = new uPlot(options, data, element);
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0) plot.current?.setSize({ width, height: props.height ?? HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shown, labels, props.isLog]);
  useEffect(() => {
    plot.current?.setData(data);
  }, [data, props.marks]);
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="now">
          {lines.map(({ label, colour: name }, index) => (
            <span key={label}>
              <i class={`key ${name}`} aria-hidden="true" />
              {lines.length > 1 ? `${label} ` : ''}
              <b>{format(data[index + 1]?.at(-1))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={place} role="img" aria-label={inWords(props)} />
    </figure>
  );
}

function inWords({ title, lines, data, format }: ChartProps): string {
  const parts = lines.map(({ label }, index) => {
    const summary = summaryOf(data[index + 1] ?? []);
    if (summary === null) return `${label}: no data yet`;
    const { last, least, greatest } = summary;
    return `${label}: now ${format(last)}, between ${format(least)} and ${format(greatest)}`;
  });
  return `${title}. ${parts.join('. ')}`;
}

// eslint-disable-next-line max-lines-per-function -- a line for each option of the chart
function optionsOf(props: ChartProps, width: number, shown: () => Columns): uPlot.Options {
  const { lines, format, isLog = false, isSparse = false, least = 1 } = props;
  const grid = { stroke: colour('grid'), width: 1 };
  const axis = { stroke: colour('faint'), font: AXIS_FONT, ticks: { show: false } };
  return {
    width: Math.max(width, 50),
    height: props.height ?? HEIGHT,
    legend: { show: false },
    padding: [6, 14, 0, 0],
    cursor: {
      y: false,
      points: { size: 5 },
      drag: { x: props.zoom !== undefined, y: false, setScale: false },
      sync: { key: props.group ?? 'live' },
    },
    plugins: [tip(props, shown)],
    scales: {
      x: { time: true, range: (_, min, max) => timeRange(props, min, max) },
      // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- the enum is there for the compiler only
      y: isLog
        ? { distr: 4, range: (_, __, max) => [0, powerOfTenFrom(max)] }
        : { range: (_, __, max) => [0, Math.max(least, (max || 0) * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 20,
        space: 70,
        values: (_, at, ...[, , step]) => at.map((seconds) => timeLabel(seconds, step)),
        incrs: TIME_STEPS,
      },
      {
        ...axis,
        grid,
        size: 58,
        space: 26,
        // What the filter leaves out comes as null.
        values: (_, at: (number | null)[]) =>
          at.map((value) => (value === null ? '' : format(value))),
        ...(isLog ? { splits: (_, __, ___, max: number) => powersOfTenTo(max) } : {}),
        ...(props.isBinary === true ? { incrs: POWERS_OF_TWO } : {}),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, colour: name, isFilled = false }) => ({
        label,
        stroke: colour(name),
        width: 1.25,
        ...(isSparse ? { paths: () => null } : {}),
        points: {
          show: isSparse,
          size: 5,
          width: 1,
          fill: colour(name),
          filter: (plot: uPlot, line: number) => (isSparse ? null : lonely(plot.data[line]!)),
        },
        ...(isFilled ? { fill: `${colour(name)}22` } : {}),
      })),
    ],
  };
}

/** Returns the time range: the last minutes of live data, otherwise from the first to the last sample; never empty. */
function timeRange({ group }: ChartProps, min: number, max: number): [number, number] {
  if (group === undefined) return [max - WINDOW_SECONDS, max];
  return [Math.min(min, max - SPAN_SECONDS_MIN), max];
}

/** With the date where a step is a quarter of a day or longer. */
function timeLabel(seconds: number, step: number): string {
  const ms = seconds * 1_000;
  return step < DATED_STEP_SECONDS ? clockTime(ms) : dateTime(ms).slice(DATE_FROM, DATE_TO);
}

function powerOfTenFrom(max: number | null): number {
  return 10 ** Math.max(1, Math.ceil(Math.log10(Math.max(1, max ?? 1) * 1.01)));
}

/** Zero is among them: below 1 the axis is linear. */
function powersOfTenTo(max: number): number[] {
  const decades = Math.floor(Math.log10(max) + 1e-9);
  const powers = Array.from({ length: decades + 1 }, (_, power) => 10 ** power);
  // Over many decades 1 would lie on 0.
  return [0, ...powers.filter((power) => power > 1 || decades < 4)];
}

/** Lines at the marks. */
function markLines(shown: () => ChartProps): uPlot.Plugin {
  return {
    hooks: {
      draw: (plot: uPlot) => {
        const { ctx, bbox } = plot;
        const { min, max } = plot.scales['x']!;
        for (const { seconds, isBad } of shown().marks ?? []) {
          if (seconds < min! || seconds > max!) continue;
          const left = Math.round(plot.valToPos(seconds, 'x', true));
          ctx.fillStyle = colour(isBad ? 'bad' : 'faint');
          ctx.fillRect(left, bbox.top, devicePixelRatio, bbox.height);
        }
      },
    },
  };
}

/** Selection of a time by dragging; the chart itself keeps its scale until its data is another. */
function selection(shown: () => ChartProps): uPlot.Plugin {
  return {
    hooks: {
      setSelect: (plot: uPlot) => {
        const { left, width } = plot.select;
        if (width <= 0) return;
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        const at = (position: number): number => 1_000 * plot.posToVal(position, 'x');
        shown().zoom?.(at(left), at(left + width));
      },
    },
  };
}

/** The values under the cursor. Built of nodes and text: nothing in it is ever read as markup. */
function tip({ lines, format }: ChartProps, shown: () => Columns): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'tip';
  return {
    hooks: {
      init: ({ over }: uPlot) => {
        box.hidden = true;
        over.append(box);
      },
      setCursor: ({ cursor, over }: uPlot) => {
        const data = shown();
        const { idx, left = -1 } = cursor;
        box.hidden = idx === null || idx === undefined || left < 0;
        if (box.hidden) return;
        const at = idx!;
        const ms = (data[0][at] ?? 0) * 1_000;
        const isDated = data[0].at(-1)! - data[0][0]! > DATED_STEP_SECONDS;
        const rows = [isDated ? dateTime(ms) : clockTime(ms)];
        lines.forEach(({ label }, index) =>
          rows.push(`${label}  ${format(data[index + 1]?.[at])}`),
        );
        box.textContent = rows.join('\n');
        box.style.left = left > over.clientWidth / 2 ? 'auto' : `${left + 10}px`;
        box.style.right =
          left > over.clientWidth / 2 ? `${over.clientWidth - left + 10}px` : 'auto';
      },
    },
  };
}
