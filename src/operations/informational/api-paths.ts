import { surfaces } from '../../contract/api/surfaces/index.ts';

/** The APIs that have separate OpenAPI descriptions, by the name that clients use for them. */
export const SPECS = { 'edge-client': surfaces.client, 'edge-management': surfaces.management } as const;

/** All APIs, by the name that clients use for them. */
export const APIS = { ...SPECS, fabric: surfaces.fabric, 'edge-oidc': surfaces.oidc } as const;
