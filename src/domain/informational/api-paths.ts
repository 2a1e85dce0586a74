/** Where each API answers, by the name that clients know it by. */
export const API_PATHS = { 'edge-client': '/edge/client/v1', 'edge-management': '/edge/management/v1' } as const;
