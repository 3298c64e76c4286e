/** Reads lists in every form that Redis has written them in. */
import type { Bytes } from '#base';
import { Encoding } from '../../values/encodings.ts';
import { ListNode } from '../../list/list-node.ts';
import { exceedsLimit, keptDepth, keptSize, type ListLimits } from '../../list/node-limits.ts';
import { Quicklist } from '../../list/quicklist.ts';
import { Listpack } from '../../listpack/listpack.ts';
import { ValueType } from '../../values/value-type.ts';
import { checkedListpack } from '../format/listpack-check.ts';
import { demand, demandElements } from '../format/malformed.ts';
import { NodeForm } from '../format/rdb-type.ts';
import type { RdbReader } from '../format/rdb-reader.ts';
import type { FinishedValue } from '../format/finished-value.ts';
import { listpackOfZiplist } from '../format/ziplist.ts';

/** A list whose elements come one by one. */
export function readElements(reader: RdbReader, limits: ListLimits): FinishedValue {
  const count = reader.count();
  const list = emptyList(limits);
  for (let index = 0; index < count; index += 1) {
    const element = reader.string();
    list.push(element, 0, element.length, false);
  }
  return finished(list, limits);
}

/** A list in one listpack that is sound in itself. As in Redis, it is a quicklist however short. */
export function readZiplist(listpack: Bytes, limits: ListLimits): FinishedValue {
  const list = emptyList(limits);
  const cursor = new Listpack().point(listpack, 0);
  for (let more = cursor.first(); more; more = cursor.next()) {
    cursor.read();
    list.push(cursor.text, cursor.textAt, cursor.textLength, false);
  }
  demandElements(list.count);
  return { type: ValueType.list, encoding: Encoding.quicklist, value: list };
}

/** A list of nodes, which stay as they are: listpacks and single elements, or ziplists. */
export function readNodes(reader: RdbReader, limits: ListLimits, hasForms: boolean): FinishedValue {
  const count = reader.count();
  const list = emptyList(limits);
  for (let index = 0; index < count; index += 1) {
    const form = hasForms ? reader.length() : NodeForm.packed;
    demand(form === NodeForm.packed || form === NodeForm.plain);
    const bytes = reader.string();
    demand(bytes.length > 0);
    if (form === NodeForm.plain) append(list, ListNode.plain(bytes, 0, bytes.length));
    else appendPacked(list, hasForms ? checkedListpack(bytes) : listpackOfZiplist(bytes));
  }
  demandElements(list.count);
  return finished(list, limits);
}

function emptyList({ size, compressDepth, plainBytes }: ListLimits): Quicklist {
  const list = new Quicklist(keptSize(size), keptDepth(compressDepth));
  list.plainBytes = plainBytes;
  return list;
}

function appendPacked(list: Quicklist, listpack: Bytes): void {
  const { count } = new Listpack().point(listpack, 0);
  if (count > 0) append(list, ListNode.ofListpack(listpack.slice(), count));
}

function append({ nodes }: Quicklist, node: ListNode): void {
  nodes.count += node.count;
  nodes.link(node, nodes.tail, true);
}

function finished(list: Quicklist, limits: ListLimits): FinishedValue {
  const type = ValueType.list;
  const { head, nodeCount } = list.nodes;
  if (nodeCount !== 1 || head!.isPlain || isTooLarge(head!, limits)) {
    return { type, encoding: Encoding.quicklist, value: list };
  }
  const { bytes, start, size } = head!;
  return { type, encoding: Encoding.listpack, value: bytes.slice(start, start + size) };
}

/** As in Redis, where a number of elements is the limit, bytes do not count here. */
function isTooLarge(node: ListNode, { size }: ListLimits): boolean {
  if (size < 0) return exceedsLimit(size, node.size, node.count);
  return node.count > Math.max(size, 1);
}
