import { surfaces } from '../../../api/surfaces/index.ts';

/** Where each API answers, by the name that clients know it by. */
export const API_PATHS = { 'edge-client': surfaces.client.prefix, 'edge-management': surfaces.management.prefix } as const;
