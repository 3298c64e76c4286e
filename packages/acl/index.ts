export {
  AclLog,
  type AclDenial,
  type DenialContext,
  type DenialReason,
  type ShardDenial,
} from './acl-log.ts';
export { denialInExec, denialReason, denialText } from './denial-words.ts';
export { Permission } from './patterns.ts';
export { revokedChannels } from './revoked-channels.ts';
export { type Selector } from './selector.ts';
export { DEFAULT_USER, User } from './user.ts';
export { UserRules } from './user-rules.ts';
export { Users } from './users.ts';
export { ALLOWED, indexOf, type Verdict } from './verdict.ts';
export { deniedObject, deniedName } from './denied-text.ts';
