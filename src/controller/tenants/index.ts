/**
 * Many networks in one database and one process: tenants, each with its own name, keys and quotas.
 * @module overlay-controller/tenants
 */

import '../../runtime/required.ts';

export type { CreatedTenant } from './creation.ts';
export type { ChooseTenant, ChosenTenant, TenantHandling, TenantHandlingOptions, TenantRequest } from './handling.ts';
export type { CreateTenantOptions, OverlaysOptions, TenantControllerOptions, TenantSource } from './options.ts';
export { type OpenedCount, type Overlays, openOverlays, type TenantPage } from './overlays.ts';
export type { Quotas } from './quotas.ts';
export type { Tenant } from './registry.ts';
export type { TenantExport, TenantUsage } from './spaces.ts';
