import * as z from 'zod';
import { compareText, sortedSet } from '../../../../query/order.ts';
import { plainRange } from '../../../../query/semver/plain-range.ts';
import { readVersionRange } from '../../../../query/semver/range.ts';
import { list, preprocess, required, variant } from '../../kit/index.ts';
import { shortText } from '../../shared.ts';
import { type OperatingSystem, operatingSystem, osKey, osType } from '../os-type.ts';

const version = shortText
  .refine((range) => readVersionRange(range) !== undefined, {
    error: 'must be a semantic version or a version range, such as >=10.0.0 <11.0.0 || 12.x',
  })
  .refine((range) => readVersionRange(range) === undefined || plainRange(range) !== undefined, {
    error: 'must not contain a prerelease with an x: routers match it with any number',
  });

const input = z.object({
  /** Name of the system. */
  type: osType,
  /** Version ranges, one of which must contain the version, e.g. `>=10.0.0`; empty or null: any version. */
  versions: list(version, 100).nullable(),
});

/** Converts the two member names that existing command-line clients capitalize. All other names are case-sensitive. */
const withoutCapitals = (entry: unknown): unknown => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry;
  const { Type, Versions, ...rest } = entry as Readonly<Record<string, unknown>>; // a JSON object
  return { ...(Type === undefined ? {} : { type: Type }), ...(Versions === undefined ? {} : { versions: Versions }), ...rest };
};

/** If a system is listed more than once, the last entry takes effect. */
const operatingSystems = list(preprocess(withoutCapitals, input), 100)
  .min(1)
  .transform((systems): readonly OperatingSystem[] =>
    [...new Map(systems.map((system) => [osKey(system.type), system])).values()]
      .map(({ type, versions }) => ({ type, versions: versions?.length ? sortedSet(versions) : null }))
      .sort((a, b) => compareText(a.type, b.type)),
  )
  .pipe(z.array(operatingSystem).readonly());

/** The endpoint must run one of these operating systems, in an accepted version. */
export const osVariant = variant('OperatingSystem', {
  /** The accepted operating systems. */
  operatingSystems: required(operatingSystems),
});
