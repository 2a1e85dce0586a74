import { API_PATHS as PATHS } from '../../../api/kit/api-paths.ts';

/** Where each API answers, by the name that clients know it by. */
export const API_PATHS = { 'edge-client': PATHS.client, 'edge-management': PATHS.management } as const;
