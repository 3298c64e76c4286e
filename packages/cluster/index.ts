export { ClusterError } from './cluster-error.ts';
export { ClusterNode, type ClusterHost, type DataPlace } from './cluster-node.ts';
export type { ClusterIdentity } from './cluster-view.ts';
export {
  TimedCoordinator,
  type CoordinatorCall,
  type CoordinatorTiming,
} from './coordinator/timed-coordinator.ts';
export { etcd } from './coordinator/etcd.ts';
export type { EtcdTls } from './coordinator/etcd-connection.ts';
export type { EtcdOptions } from './coordinator/etcd-coordinator.ts';
export { askForHandover } from './decisions/failover.ts';
export { bumpEpoch, forget, meet, replicate, reset } from './decisions/membership.ts';
export {
  beginMove,
  failMove,
  finishMove,
  forgetMove,
  moveFault,
  slotsOf,
  spansOf,
  uncleanGroup,
} from './decisions/migrations.ts';
export { addSlots, deleteSlots, setSlot } from './decisions/slots.ts';
export type { MemberAddress, SlotSpan } from './documents/documents.ts';
export {
  slotCount,
  topologyChanges,
  type ClusterEventKind,
  type FailoverKind,
  type TopologyChange,
} from './history/topology-changes.ts';
export type { Lease } from './lease.ts';
export { Topology, type Group, type Member, type SlotMigration } from './topology.ts';
