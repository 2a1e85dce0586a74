import * as z from 'zod';
import { string } from '../kit/index.ts';

/** Operating systems as clients spell them (`names`), and as the specification does (`families`). */
const names = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const;
const families = ['WINDOWS', 'WINDOWS_SERVER', 'ANDROID', 'IOS', 'LINUX', 'MACOS'] as const;

export const osType = z.enum([...names, ...families]).meta({
  id: 'OsType',
  description: 'An operating system. Spellings that differ only in case and underscores denote the same system.',
});
export type OsType = z.infer<typeof osType>;

/** A key that is equal for all spellings of an operating system: in lower case, without underscores. */
export const osKey = (type: string): string => type.toLowerCase().replaceAll('_', '');

const byKey: ReadonlyMap<string, (typeof names)[number]> = new Map(names.map((name) => [osKey(name), name]));

/** An operating system in the spelling of clients. */
export const osName = (type: OsType): OsType => byKey.get(osKey(type)) ?? type;

/** An operating system and its accepted versions. */
export const operatingSystem = z
  .object({
    /** Name of the system. */
    type: osType,
    /** Version ranges, one of which must contain the version; null: any version. */
    versions: z.array(string).readonly().nullable(),
  })
  .readonly()
  .meta({ id: 'OperatingSystem' });
export type OperatingSystem = z.infer<typeof operatingSystem>;
