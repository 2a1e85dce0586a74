import type { PostureCheck } from '../../src/index.ts';
import type { App } from './app.ts';

/** Of each type: a body, how it reads back, and another body with how that reads back. */
export const TYPES = {
  OS: [
    {
      operatingSystems: [
        { type: 'macOS', versions: [] },
        { type: 'LINUX', versions: ['>=5.0.0', '4.x', '4.x'] },
      ],
    },
    {
      operatingSystems: [
        { type: 'LINUX', versions: ['4.x', '>=5.0.0'] },
        { type: 'macOS', versions: null },
      ],
    },
    {
      operatingSystems: [
        { type: 'WINDOWS', versions: ['1.x'] },
        { type: 'Windows', versions: ['^10.0.0', '!=10.0.5'] },
      ],
    },
    { operatingSystems: [{ type: 'Windows', versions: ['!=10.0.5', '^10.0.0'] }] },
  ],
  MAC: [
    { macAddresses: ['AA:BB:CC-DD-EE-FF', '0011.2233.4455', 'aabbccddeeff'] },
    { macAddresses: ['001122334455', 'aabbccddeeff'] },
    { macAddresses: ['11-22-33-44-55-66'] },
    { macAddresses: ['112233445566'] },
  ],
  MFA: [
    { timeoutSeconds: 90, promptOnWake: true, ignoreLegacyEndpoints: true },
    { timeoutSeconds: 90, promptOnWake: true, ignoreLegacyEndpoints: true },
    { timeoutSeconds: 0, promptOnUnlock: true },
    { timeoutSeconds: -1, promptOnUnlock: true },
  ],
  PROCESS: [
    { process: { osType: 'Windows', path: 'C:\\a.exe', hashes: ['BB', 'AA'], signerFingerprint: 'CC' } },
    { process: { osType: 'Windows', path: 'C:\\a.exe', hashes: ['aa', 'bb'], signerFingerprint: 'cc' } },
    { process: { osType: 'Linux', path: '/x', signerFingerprint: '' } },
    { process: { osType: 'Linux', path: '/x', hashes: null } },
  ],
  PROCESS_MULTI: [
    {
      semantic: 'OneOf',
      processes: [
        { os: 'Windows', path: 'C:\\a.exe', hashes: ['AA'], signerFingerprints: ['bb', 'b', 'b'] },
        { osType: 'Linux', path: '/b' },
      ],
    },
    {
      semantic: 'OneOf',
      processes: [
        { os: 'Linux', osType: 'Linux', path: '/b', hashes: [], signerFingerprints: [] },
        { os: 'Windows', osType: 'Windows', path: 'C:\\a.exe', hashes: ['AA'], signerFingerprints: ['b', 'bb'] },
      ],
    },
    {
      semantic: 'AllOf',
      processes: [
        { osType: 'LINUX', path: '/b' },
        { osType: 'Linux', path: '/b', hashes: ['x'] },
      ],
    },
    { semantic: 'AllOf', processes: [{ os: 'Linux', osType: 'Linux', path: '/b', hashes: ['x'], signerFingerprints: [] }] },
  ],
  DOMAIN: [{ domains: ['Foo.COM', 'bar', 'bar'] }, { domains: ['Foo.COM', 'bar'] }, { domains: ['q'] }, { domains: ['q'] }],
} as const satisfies Readonly<Record<PostureCheck['typeId'], unknown>>;

export const ownFields = async (app: App, id: string) => {
  const { createdAt, updatedAt, _links, ...own } = (await app.request('GET', `/posture-checks/${id}`)).body.data;
  return own;
};
