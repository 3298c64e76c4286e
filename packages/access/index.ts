export { type Access, newAccess } from './access.ts';
export { accessModule } from './access-module.ts';
export { ConnectedClients } from './connected-clients.ts';
export { demandUsers } from './initial-users.ts';
export { chargeOutput } from './rate-limits.ts';
