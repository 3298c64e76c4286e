/** Map of all slots: a cell for each, in the colour of its group. The table below it has the same in words. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ClusterGroup } from '../../../model/api.ts';
import { colourOfGroup, groupAt, SLOTS } from '../../../model/cluster/slots.ts';
import { colour, useTheme } from '../../theme.ts';

const COLUMNS = 256;
const ROWS = SLOTS / COLUMNS;
/** Pixels of a cell of the drawing, which is stretched to the width of the page. */
const CELL = 4;

export function SlotMap({ groups }: { readonly groups: readonly ClusterGroup[] }): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [slot, setSlot] = useState<number | null>(null);
  const { shown } = useTheme();
  // What is drawn follows from the ranges alone.
  const drawn = JSON.stringify(groups.map(({ id, ranges }) => [id, ranges]));
  useEffect(() => {
    const drawing = canvas.current?.getContext('2d');
    if (drawing) draw(drawing, groups);
  }, [drawn, shown]);
  return (
    <figure class="slot-map">
      <canvas
        ref={canvas}
        width={COLUMNS * CELL}
        height={ROWS * CELL}
        role="img"
        aria-label={`${SLOTS} slots by group, ${COLUMNS} in a row; the table of groups has their ranges`}
        onMouseMove={(event) => setSlot(slotAt(event, event.currentTarget))}
        onMouseLeave={() => setSlot(null)}
      />
      <figcaption>
        {slot === null ? `Slots 0 to ${SLOTS - 1}, row by row.` : said(groups, slot)}
      </figcaption>
    </figure>
  );
}

function draw(drawing: CanvasRenderingContext2D, groups: readonly ClusterGroup[]): void {
  drawing.clearRect(0, 0, COLUMNS * CELL, ROWS * CELL);
  for (const [index, { ranges }] of groups.entries()) {
    drawing.fillStyle = colour(colourOfGroup(index));
    for (const [first, last] of ranges) fillRange(drawing, first, last);
  }
}

/** Fills a range row by row. */
function fillRange(drawing: CanvasRenderingContext2D, first: number, last: number): void {
  for (let from = first; from <= last;) {
    const row = Math.floor(from / COLUMNS);
    const to = Math.min(last, (row + 1) * COLUMNS - 1);
    drawing.fillRect((from % COLUMNS) * CELL, row * CELL, (to - from + 1) * CELL, CELL);
    from = to + 1;
  }
}

function slotAt({ offsetX, offsetY }: MouseEvent, drawn: HTMLCanvasElement): number {
  const { width, height } = drawn.getBoundingClientRect();
  const column = Math.min(COLUMNS - 1, Math.floor((offsetX / width) * COLUMNS));
  const row = Math.min(ROWS - 1, Math.floor((offsetY / height) * ROWS));
  return Math.max(0, row * COLUMNS + column);
}

function said(groups: readonly ClusterGroup[], slot: number): string {
  const index = groupAt(groups, slot);
  if (index === undefined) return `Slot ${slot}: unassigned.`;
  return `Slot ${slot}: group ${index + 1}, primary ${groups[index]!.primary.slice(0, 8)}.`;
}
