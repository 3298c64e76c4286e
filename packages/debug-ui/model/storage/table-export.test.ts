import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { csvOf, exportName, jsonOf } from './table-export.ts';

const exported = suite('export of tables');

interface Row {
  readonly name: string;
  readonly calls: number | null;
}

const columns = [
  { name: 'name', title: 'Name', value: ({ name }: Row) => name },
  { name: 'calls', title: 'Calls, all', value: ({ calls }: Row) => calls },
  { name: 'kill', title: '' },
];

exported('texts are quoted where they must be, and are no formulas', () => {
  const rows = [
    { name: 'a "b", c', calls: 1.5 },
    { name: '=HYPERLINK(1)', calls: null },
    { name: 'x\ny', calls: NaN },
    { name: '-1', calls: -1 },
  ];
  assert.is(
    csvOf(columns, rows),
    'Name,"Calls, all"\r\n"a ""b"", c",1.5\r\n\'=HYPERLINK(1),\r\n"x\ny",\r\n\'-1,-1\r\n',
  );
});

exported('JSON has the values by the names of columns', () => {
  assert.equal(JSON.parse(jsonOf(columns, [{ name: '=1', calls: null }])), [
    { name: '=1', calls: null },
  ]);
});

exported('a file is named after its table', () => {
  assert.is(
    exportName('Slow entries of client|list', 'csv'),
    'svc-slow-entries-of-client-list.csv',
  );
});

exported.run();
