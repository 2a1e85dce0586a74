/** Releases of OpenZiti with which answers can be compatible, and the version that each announces, from which clients infer features. */
export const COMPATIBLE_RELEASES = { '1.7': 'v1.7.2', '2.0': 'v2.0.3' } as const;

/** Name and version of this software. A test compares the version with package.json. */
export const software = { name: 'overlay-controller', version: '0.1.0', buildDate: '2026-11-21 00:00:00' } as const;
