export {
  AclLog,
  type AclDenial,
  type DenialContext,
  type DenialReason,
  type ShardDenial,
} from './denials/acl-log.ts';
export { denialInExec, denialReason, denialText } from './denials/denial-words.ts';
export { Permission } from './rules/patterns.ts';
export { revokedChannels } from './rules/revoked-channels.ts';
export { type Selector } from './rules/selector.ts';
export { DEFAULT_USER, User } from './user.ts';
export { UserRules } from './rules/user-rules.ts';
export { Users } from './users.ts';
export { ALLOWED, indexOf, type Verdict } from './verdict.ts';
export { deniedObject, deniedName } from './denials/denied-text.ts';
