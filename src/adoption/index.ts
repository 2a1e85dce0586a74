/** Adopts the network of another controller, for adapters that read its database. */

import '../runtime.ts';

export type { AdoptedAuthority } from '../opening/adopted-authority.ts';
export { type AdoptionOptions, adoptFormerNetwork } from './adopt-network.ts';
export type * from './former.ts';
export type * from './former-identities.ts';
export { LOSSES, type LossName } from './losses.ts';
export { AdoptionRefused } from './refused.ts';
export type { AdoptedKind, AdoptionReport, FormerAdministrator, Losing, Loss } from './report.ts';
