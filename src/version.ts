/** Name and version of this software. A test compares the version with package.json. */
export const software = { name: 'overlay-controller', version: '0.1.0', buildDate: '2026-11-21 00:00:00' } as const;
