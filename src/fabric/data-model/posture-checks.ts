/**
 * Posture checks as routers need them: routers compare strings with endpoint reports literally, and use a different syntax for version
 * ranges.
 */
import { hexDigits } from '../../contract/api/posture-checks/hex.ts';
import { osName } from '../../contract/api/posture-checks/os-type.ts';
import type { ChangedRow } from '../../contract/changes/events.ts';
import { plainRange } from '../../query/semver/plain-range.ts';
import type { DataEvent } from '../control-channel/messages/data-model.ts';

type Check = NonNullable<DataEvent['postureCheck']>;

type CheckRow = ChangedRow<'postureCheck'>;
type TypeId = CheckRow['typeId'];
type Fields<T extends TypeId> = (row: Extract<CheckRow, { readonly typeId: T }>) => Partial<Check>;

const fieldsOf: { readonly [T in TypeId]: Fields<T> } = {
  MAC: ({ macAddresses }) => ({ mac: { macAddresses: macAddresses.flatMap(macSpellings) } }),
  DOMAIN: ({ domains }) => ({ domains: { domains: [...new Set(domains.flatMap(caseSpellings))] } }),
  MFA: ({ timeoutSeconds, promptOnWake, promptOnUnlock, ignoreLegacyEndpoints }) => ({
    mfa: {
      timeoutSeconds: BigInt(timeoutSeconds),
      promptOnWake: promptOnWake ?? false,
      promptOnUnlock: promptOnUnlock ?? false,
      ignoreLegacyEndpoints: ignoreLegacyEndpoints ?? false,
    },
  }),
  OS: ({ operatingSystems }) => ({
    osList: { osList: operatingSystems.map(({ type, versions }) => ({ osType: osName(type), osVersions: versionRanges(versions) })) },
  }),
  PROCESS: ({ process: { osType, path, hashes, signerFingerprint } }) => {
    const fingerprints = hexSpellings(signerFingerprint ? [signerFingerprint] : []);
    return { process: { osType: osName(osType), path, hashes: hexSpellings(hashes ?? []), fingerprints } };
  },
  PROCESS_MULTI: ({ semantic, processes }) => ({
    processMulti: {
      // Routers do not know `OneOf`, which means the same as `AnyOf`.
      semantic: semantic === 'AllOf' ? 'AllOf' : 'AnyOf',
      processes: processes.map(({ osType, path, hashes, signerFingerprints }) => ({
        osType: osName(osType),
        path,
        hashes: hexSpellings(hashes),
        fingerprints: hexSpellings(signerFingerprints),
      })),
    },
  }),
};

/** The fields of a posture check that depend on its type. */
export const postureCheckFields = (row: CheckRow): Partial<Check> =>
  // Each row is passed to the function for its type.
  (fieldsOf[row.typeId] as Fields<TypeId>)(row);

/** Routers interpret an empty list of versions as excluding all. */
const ANY_VERSION = ['>=0.0.0'];

/**
 * Version ranges in the syntax of routers. Ranges that it cannot express are left out, and thus match no version.
 * @param ranges null: any version
 */
export const versionRanges = (ranges: readonly string[] | null): readonly string[] =>
  ranges === null ? ANY_VERSION : ranges.flatMap((range) => plainRange(range) || []);

/** A string as given, in lower case and in upper case, without duplicates. */
const caseSpellings = (text: string): readonly string[] => [...new Set([text, text.toLowerCase(), text.toUpperCase()])];

/** A MAC address without separators, with colons and with hyphens, each in lower and upper case. */
export const macSpellings = (address: string): readonly string[] => {
  const bare = hexDigits(address);
  const pairs = bare.match(/../g);
  if (!pairs) return [];
  return [bare, pairs.join(':'), pairs.join('-')].flatMap((spelling) => [...new Set([spelling, spelling.toUpperCase()])]);
};

/**
 * Hashes and fingerprints without separators, in both cases. A string without hex digits is kept, because to routers, an empty list allows
 * everything.
 */
export const hexSpellings = (all: readonly string[]): readonly string[] => [
  ...new Set(all.map((text) => hexDigits(text) || text).flatMap((bare) => [bare, bare.toUpperCase()])),
];
