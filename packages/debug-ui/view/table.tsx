/** A table that is sorted by its heads. It scrolls in itself, never the page. */

import { useState } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { csvOf, exportName, jsonOf } from '../model/storage/table-export.ts';
import { nextOrder, sorted, type Cell, type Order } from '../model/sorting.ts';
import { save } from './browser.ts';

export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  /** Value that the table is sorted by; a column without it is not sortable. */
  readonly value?: (row: Row) => Cell;
  readonly show: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Takes what room is left, and is cut short rather than made wide. */
  readonly isWide?: boolean;
  readonly hint?: string;
}

interface TableProps<Row> {
  /** Says what the table is, to those who hear it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly order?: Order;
  readonly empty?: string;
  readonly rowsMax?: number;
  /** True when rows are shown as cards where the screen is narrow; by default those of many columns are. */
  readonly isOfCards?: boolean;
}

const ROWS_MAX = 200;
/** Tables with more columns are shown as cards where the screen is narrow. */
const CARD_COLUMNS = 7;

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { caption, columns, rows, keyOf, empty = 'No entries yet.', rowsMax = ROWS_MAX } = props;
  const isOfCards = props.isOfCards ?? columns.length > CARD_COLUMNS;
  const [order, setOrder] = useState<Order | undefined>(props.order);
  const [isWhole, setWhole] = useState(false);
  const column = columns.find(({ name }) => name === order?.column);
  const all = column?.value ? sorted(rows, column.value, order!.isDescending) : [...rows];
  const shown = isWhole ? all : all.slice(0, rowsMax);
  // The roles are said, since a narrow screen shows rows as cards, and a browser drops them with the layout.
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table role="table" class={isOfCards ? 'cards' : ''}>
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((each) => (
              <Head key={each.name} column={each} order={order} choose={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shown.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((each) => (
                <td key={each.name} role="cell" class={classOf(each)} data-title={each.title}>
                  {each.show(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">{empty}</p>}
      {rows.length > 0 && <Exports caption={caption} columns={columns} rows={all} />}
      {shown.length < rows.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </button>
      )}
    </div>
  );
}

type ExportsProps<Row> = Pick<TableProps<Row>, 'caption' | 'columns' | 'rows'>;

/** Buttons that download all rows, in the order in which they are shown. */
function Exports<Row>({ caption, columns, rows }: ExportsProps<Row>): JSX.Element {
  const file = (kind: 'csv' | 'json', text: string): void =>
    save(new Blob([text], { type: TYPES[kind] }), exportName(caption, kind));
  return (
    <p class="exports" role="group" aria-label={`Download: ${caption}`}>
      <button type="button" class="quiet" onClick={() => file('csv', csvOf(columns, rows))}>
        CSV
      </button>
      <button type="button" class="quiet" onClick={() => file('json', jsonOf(columns, rows))}>
        JSON
      </button>
    </p>
  );
}

const TYPES = { csv: 'text/csv', json: 'application/json' } as const;

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  readonly choose: (order: Order) => void;
}

function Head<Row>({ column, order, choose }: HeadProps<Row>): JSX.Element {
  const { name, title, value, hint, isNumber = false } = column;
  const isChosen = order?.column === name;
  const direction = order?.isDescending === true ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      role="columnheader"
      class={classOf(column)}
      aria-sort={isChosen ? direction : 'none'}
      title={hint}
    >
      {value === undefined ? (
        title === '' ? (
          <span class="unseen">Actions</span>
        ) : (
          title
        )
      ) : (
        <button type="button" onClick={() => choose(nextOrder(order, name, isNumber))}>
          {title}
          <span aria-hidden="true">{isChosen ? (order.isDescending ? ' ▾' : ' ▴') : ''}</span>
        </button>
      )}
    </th>
  );
}

function classOf<Row>({ isNumber, isWide }: Column<Row>): string {
  return `${isNumber === true ? 'number' : ''} ${isWide === true ? 'wide' : ''}`.trim();
}
