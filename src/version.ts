/** This software. A test holds the version against package.json. */
export const software = { name: 'overlay-controller', version: '0.1.0', buildDate: '2026-11-21 00:00:00' } as const;
