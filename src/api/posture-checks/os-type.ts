import * as z from 'zod';
import { string } from '../kit/index.ts';

/** As clients name operating systems, and as the specification writes their families. */
const names = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const;
const families = ['WINDOWS', 'WINDOWS_SERVER', 'ANDROID', 'IOS', 'LINUX', 'MACOS'] as const;

export const osType = z.enum([...names, ...families]).meta({
  id: 'OsType',
  description: 'Exactly these twelve spellings are accepted. Two that differ only in case and underscores mean the same system.',
});
export type OsType = z.infer<typeof osType>;

/** One word for every way to write an operating system: case and underscores do not count. */
export const osKey = (type: string): string => type.toLowerCase().replaceAll('_', '');

const byKey: ReadonlyMap<string, (typeof names)[number]> = new Map(names.map((name) => [osKey(name), name]));

/** The name that clients know. */
export const osName = (type: OsType): OsType => byKey.get(osKey(type)) ?? type;

/** An operating system in some of its versions. */
export const operatingSystem = z
  .object({
    /** Name of the system. */
    type: osType,
    /** Ranges, one of which must contain the version; null for any version. */
    versions: z.array(string).readonly().nullable(),
  })
  .readonly()
  .meta({ id: 'OperatingSystem' });
export type OperatingSystem = z.infer<typeof operatingSystem>;
