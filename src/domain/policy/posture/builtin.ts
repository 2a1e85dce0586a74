import type { OperatingSystem } from '../../../api/posture-checks/os.ts';

const systems = {
  Android: ['10', '11', '9'],
  Linux: ['4.14', '4.19', '5.4', '5.9'],
  Windows: ['10', '2000', '7', '8', 'Vista'],
  iOS: ['11', '12'],
  macOS: ['10.15', '11.0'],
} as const satisfies Partial<Record<OperatingSystem['type'], readonly string[]>>;

const on = (...types: readonly (keyof typeof systems)[]): readonly OperatingSystem[] =>
  types.map((type) => ({ type, versions: systems[type] }));

/** The posture check types of every network, with the systems and versions that clients expect. */
export const builtinPostureCheckTypes: readonly {
  readonly id: string;
  readonly name: string;
  readonly operatingSystems: readonly OperatingSystem[];
}[] = [
  { id: 'DOMAIN', name: 'Windows Domain Check', operatingSystems: on('Windows') },
  { id: 'MAC', name: 'MAC Address Check', operatingSystems: on('Android', 'Linux', 'Windows', 'macOS') },
  { id: 'MFA', name: 'MFA Check', operatingSystems: on('Android', 'Linux', 'Windows', 'iOS', 'macOS') },
  { id: 'OS', name: 'Operating System Check', operatingSystems: on('Android', 'Linux', 'Windows', 'iOS', 'macOS') },
  { id: 'PROCESS', name: 'Process Check', operatingSystems: on('Linux', 'Windows', 'macOS') },
  {
    id: 'PROCESS_MULTI',
    name: 'Process Multi Check',
    operatingSystems: (['Linux', 'Windows', 'macOS'] as const).map((type) => ({ type, versions: null })),
  },
];
