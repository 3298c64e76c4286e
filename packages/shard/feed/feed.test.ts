import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { asBuffer, type Bytes } from '#base';
import { FeedEnd, FeedFlag, SEGMENT_BYTES, SegmentAt } from '#link';
import { Feed } from './feed.ts';

const feeds = suite('feed of a shard');

interface Segment {
  readonly flags: number;
  readonly database: number;
  readonly count: number;
  readonly group: number;
  readonly parent: number;
  readonly transaction: number;
  readonly parts: number;
  readonly text: string;
}

/** A feed, and the bodies that it has sent; `given` those that went with their memory. */
function newFeed(): { feed: Feed; bodies: Bytes[]; given: boolean[] } {
  const bodies: Bytes[] = [];
  const given: boolean[] = [];
  const feed = new Feed({
    sendFeed: (body, isGiven) => {
      bodies.push(body.slice());
      given.push(isGiven);
    },
  });
  feed.begin();
  return { feed, bodies, given };
}

function segmentsOf(bodies: readonly Bytes[]): Segment[] {
  const segments: Segment[] = [];
  for (const body of bodies) {
    const numbers = asBuffer(body);
    for (let at = 0; at < body.length;) {
      const word = (offset: number): number => numbers.readUInt32LE(at + offset);
      const end = at + SEGMENT_BYTES + word(SegmentAt.bytes);
      segments.push({
        flags: word(SegmentAt.flags),
        database: word(SegmentAt.database),
        count: word(SegmentAt.count),
        group: word(SegmentAt.group),
        parent: word(SegmentAt.parent),
        transaction: word(SegmentAt.transaction),
        parts: word(SegmentAt.parts),
        text: numbers.toString('latin1', at + SEGMENT_BYTES, end),
      });
      at = end;
    }
  }
  return segments;
}

feeds('commands of one database share a segment', () => {
  const { feed, bodies } = newFeed();
  feed.effect(['SET', 'a', '1'], 0);
  feed.effect(['DEL', Buffer.from('b')], 0);
  feed.effect(['DEL', 'c'], 3);
  feed.flush();
  const [first, second, ...rest] = segmentsOf(bodies);
  assert.is(first?.count, 2);
  assert.is(first?.text, '*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n*2\r\n$3\r\nDEL\r\n$1\r\nb\r\n');
  assert.is(second?.database, 3);
  assert.is(second?.count, 1);
  assert.equal(rest, []);
  assert.not.ok(feed.hasPending);
});

feeds('a group that has done nothing leaves no trace', () => {
  const { feed, bodies } = newFeed();
  feed.beginGroup();
  feed.endGroup();
  feed.flush();
  assert.equal(bodies, []);
});

feeds('a group ends with what it was', () => {
  const { feed, bodies } = newFeed();
  feed.effect(['DEL', 'before'], 0);
  feed.beginGroup();
  feed.effect(['DEL', 'a'], 1);
  feed.endGroup({ kind: FeedEnd.share, transaction: 7, parts: 2 });
  feed.effect(['DEL', 'behind'], 0);
  feed.flush();
  const [before, inside, end, behind] = segmentsOf(bodies);
  assert.is(before?.group, 0);
  assert.ok((inside?.group ?? 0) > 0);
  assert.is(end?.group, inside?.group);
  assert.equal([end?.flags, end?.transaction, end?.parts], [FeedEnd.share, 7, 2]);
  assert.is(behind?.group, 0);
});

feeds('a share without a change is told all the same', () => {
  const { feed, bodies } = newFeed();
  feed.beginGroup();
  feed.endGroup({ kind: FeedEnd.whole, transaction: 9, parts: 3 });
  feed.flush();
  assert.equal(
    segmentsOf(bodies).map(({ flags, transaction }) => [flags, transaction]),
    [[FeedEnd.whole, 9]],
  );
});

feeds('groups within that of a barrier name it', () => {
  const { feed, bodies } = newFeed();
  feed.beginGroup(true);
  feed.effect(['DEL', 'a'], 0);
  feed.beginGroup();
  feed.effect(['DEL', 'b'], 0);
  feed.endGroup({ kind: FeedEnd.hosted, transaction: 1, parts: 1 });
  feed.endGroup({ kind: FeedEnd.barrier, transaction: 2, parts: 2 });
  feed.effect(['DEL', 'c'], 0);
  feed.flush();
  const [outer, inner, hosted, barrier, behind] = segmentsOf(bodies);
  assert.is(outer?.group, outer?.parent);
  assert.is(inner?.parent, outer?.group);
  assert.is.not(inner?.group, outer?.group);
  assert.equal([hosted?.group, hosted?.parent], [inner?.group, outer?.group]);
  assert.equal([barrier?.group, barrier?.flags], [outer?.group, FeedEnd.barrier]);
  assert.equal([behind?.group, behind?.parent], [0, 0]);
});

feeds('what is done beside a group is not in it', () => {
  const { feed, bodies } = newFeed();
  feed.beginGroup();
  feed.effect(['DEL', 'a'], 0);
  const group = feed.leave();
  feed.effect(['DEL', 'other'], 0);
  feed.enter(group);
  feed.effect(['DEL', 'b'], 0);
  feed.endGroup();
  feed.flush();
  const groups = segmentsOf(bodies).map((segment) => segment.group);
  assert.equal(groups, [groups[0], 0, groups[0], groups[0]]);
});

feeds('a long command goes on from chunk to chunk', () => {
  const { feed, bodies, given } = newFeed();
  const value = Buffer.alloc(20 * 1024 * 1024, 'x');
  feed.effect(['SET', 'before', '1'], 0);
  feed.effect(['SET', 'a', value], 0);
  feed.effect(['SET', 'behind', '2'], 0);
  feed.flush();
  const segments = segmentsOf(bodies);
  const isContinued = (segment: Segment): boolean => (segment.flags & FeedFlag.continued) !== 0;
  assert.ok(segments.filter(isContinued).length >= 2);
  assert.is(
    segments.reduce((sum, { count }) => sum + count, 0),
    3,
  );
  const text = segments.map((segment) => segment.text).join('');
  const long = `*3\r\n$3\r\nSET\r\n$1\r\na\r\n$${value.length}\r\n${value.toString()}\r\n`;
  const short = (key: string, number: string): string =>
    `*3\r\n$3\r\nSET\r\n$6\r\n${key}\r\n$1\r\n${number}\r\n`;
  assert.ok(text === short('before', '1') + long + short('behind', '2'));
  assert.ok(given.slice(0, -1).every(Boolean), 'finished chunks go with their memory');
});

feeds('nothing is told any more when it has ended', () => {
  const { feed, bodies } = newFeed();
  feed.effect(['DEL', 'a'], 0);
  feed.end();
  assert.not.ok(feed.isOn);
  assert.is(segmentsOf(bodies).length, 1);
});

feeds.run();
