import type { OperatingSystem } from '../../../api/posture-checks/os-type.ts';

/** The versions that clients expect to see. */
const systems = {
  Android: ['10', '11', '9'],
  Linux: ['4.14', '4.19', '5.4', '5.9'],
  Windows: ['10', '2000', '7', '8', 'Vista'],
  iOS: ['11', '12'],
  macOS: ['10.15', '11.0'],
} as const satisfies Partial<Record<OperatingSystem['type'], readonly string[]>>;

type System = keyof typeof systems;

/** Operating systems on which a type of check is offered, each with the versions that clients know. */
export const on = (...types: readonly System[]): readonly OperatingSystem[] => types.map((type) => ({ type, versions: systems[type] }));

/** Operating systems on which a type of check is offered, in any version. */
export const anyVersionOf = (...types: readonly System[]): readonly OperatingSystem[] => types.map((type) => ({ type, versions: null }));
