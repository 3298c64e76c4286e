/** Counts of users as metrics: they add up to the totals, none shrinks, and there are not more labels than allowed. */
import { OTHER_USERS_ROW, Page, UserField } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UserSeries } from './user-series.ts';

const series = suite('series of users');

const shape = { databases: 1, commands: 2, errorCodes: 1 };
const newPage = (): Page => new Page(shape, new ArrayBuffer(Page.bytes(shape)));

function newPages() {
  return { main: newPage(), shards: [newPage(), newPage()], commandCount: shape.commands };
}

/** Commands by user. */
function commandsIn(users: UserSeries): Readonly<Record<string, number>> {
  return Object.fromEntries(users.read().map(({ user, counts }) => [user, counts.commands]));
}

series('the default user has what is left', () => {
  const pages = newPages();
  pages.main.add('commands', 10);
  pages.main.countUser(OTHER_USERS_ROW + 1, UserField.commands, 4);
  const [shard] = pages.shards;
  shard!.actor = OTHER_USERS_ROW + 1;
  shard!.executed(0, 32);
  shard!.actor = 0;
  shard!.executed(1, 16);
  const [one, anna] = new UserSeries(pages, 10, ['anna']).read();
  assert.equal([one!.user, one!.counts.commands, one!.counts.timeUs], ['default', 6, 1]);
  assert.equal([anna!.user, anna!.counts.commands, anna!.counts.timeUs], ['anna', 4, 2]);
});

series('what is read while others count never shrinks, but where all begin anew', () => {
  const pages = newPages();
  const users = new UserSeries(pages, 10, ['anna']);
  const row = OTHER_USERS_ROW + 1;
  pages.main.add('commands', 10);
  assert.is(commandsIn(users)['default'], 10);
  // Between the reading of the total and of the row.
  pages.main.countUser(row, UserField.commands, 3);
  assert.is(commandsIn(users)['default'], 10);
  pages.main.add('commands', 5);
  assert.is(commandsIn(users)['default'], 12);
  pages.main.resetStatistics();
  assert.is(commandsIn(users)['default'], 0);
  pages.main.add('commands', 1);
  assert.is(commandsIn(users)['default'], 1);
});

series('bytes are those that were shared out', () => {
  const pages = newPages();
  const users = new UserSeries(pages, 10, []);
  pages.main.add('bytesRead', 100);
  assert.is(users.read()[0]!.counts.bytesIn, 0);
  pages.main.setUser(0, UserField.bytesIn, 100);
  assert.is(users.read()[0]!.counts.bytesIn, 100);
});

series(
  'those that come late, are called other, look like another or have long names are others',
  () => {
    const pages = newPages();
    const names = ['anna', 'other', 'anna', 'x'.repeat(129), 'bert', 'late'];
    names.forEach((_, nth) => {
      pages.main.countUser(OTHER_USERS_ROW + 1 + nth, UserField.commands, 10 ** nth);
    });
    pages.main.add('commands', 111_111);
    const users = new UserSeries(pages, 6, names);
    assert.equal(commandsIn(users), { default: 0, anna: 1, bert: 10_000, other: 101_110 });
  },
);

series('a name that is on its way is nobody else', () => {
  const pages = newPages();
  const names: string[] = [];
  const users = new UserSeries(pages, 3, names);
  pages.main.add('commands', 5);
  pages.main.countUser(OTHER_USERS_ROW + 1, UserField.commands, 5);
  assert.equal(commandsIn(users), { default: 0, other: 0 });
  names.push('anna');
  assert.equal(commandsIn(users), { default: 0, anna: 5, other: 0 });
});

series.run();
