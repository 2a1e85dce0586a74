/** Adopts the network of another controller, for adapters that read its database. */

import '../../src/runtime/required.ts';

export type { AdoptedAuthority } from '../../src/operations/authority/adopted-authority.ts';
export { type AdoptionOptions, adoptFormerNetwork } from './adopt-network.ts';
export type * from './former.ts';
export { LOSSES, type LossName } from './losses.ts';
export { AdoptionRefused } from './refused.ts';
export type { AdoptedKind, AdoptionReport, FormerAdministrator, Losing, Loss } from './report.ts';
