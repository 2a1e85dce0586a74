import { surfaces } from '../../../api/surfaces/index.ts';

/** Where each API answers, by the name that clients know it by. */
export const API_PATHS = { 'edge-client': surfaces.client.prefix, 'edge-management': surfaces.management.prefix } as const;

/** The same of the OpenID provider, where it is on. */
export const OIDC_PATH = { 'edge-oidc': surfaces.oidc.prefix } as const;
