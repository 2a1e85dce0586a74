import { surfaces } from '../../../api/surfaces/index.ts';

/** The APIs that have a description of their own, by the name that clients know them by. */
export const SPECS = { 'edge-client': surfaces.client, 'edge-management': surfaces.management } as const;

/** Where each API answers, by that name. */
export const API_PATHS = {
  'edge-client': surfaces.client.prefix,
  'edge-management': surfaces.management.prefix,
  fabric: surfaces.fabric.prefix,
} as const;

/** The same of the OpenID provider, where it is on. */
export const OIDC_PATH = { 'edge-oidc': surfaces.oidc.prefix } as const;
