export { type Access, newAccess } from './access.ts';
export { aclPort } from './acl-port.ts';
export { ConnectedClients } from './connected-clients.ts';
export { demandUsers } from './initial-users.ts';
export { chargeOutput } from './rate-limits.ts';
export { usersDocument } from './users-document.ts';
