import { surfaces } from '../../../api/surfaces/index.ts';

/** The APIs that have separate OpenAPI descriptions, by the name that clients use for them. */
export const SPECS = { 'edge-client': surfaces.client, 'edge-management': surfaces.management } as const;

/** The path prefix of each API, by the name that clients use for it. */
export const API_PATHS = {
  'edge-client': surfaces.client.prefix,
  'edge-management': surfaces.management.prefix,
  fabric: surfaces.fabric.prefix,
} as const;

/** The path prefix of the OpenID provider, if enabled. */
export const OIDC_PATH = { 'edge-oidc': surfaces.oidc.prefix } as const;
