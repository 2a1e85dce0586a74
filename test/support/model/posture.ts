/**
 * What the specification says of posture checks, in the simplest way that says it. Nothing of `src/` is known here, on purpose: a mistake
 * there must not be made here, too.
 */

/** As clients write them, and as the specification does. */
export type System = 'Linux' | 'WINDOWS' | 'WINDOWS_SERVER' | 'iOS';

/** The rules of a check, as they are sent. */
export type Rules =
  | { readonly typeId: 'OS'; readonly operatingSystems: readonly { readonly type: System; readonly versions: readonly string[] }[] }
  | { readonly typeId: 'MAC'; readonly macAddresses: readonly string[] }
  | { readonly typeId: 'DOMAIN'; readonly domains: readonly string[] }
  | { readonly typeId: 'PROCESS'; readonly process: ProcessRules & { readonly signerFingerprint: string } }
  | {
      readonly typeId: 'PROCESS_MULTI';
      readonly semantic: 'AllOf' | 'AnyOf' | 'OneOf';
      readonly processes: readonly (ProcessRules & { readonly signerFingerprints: readonly string[] })[];
    }
  | { readonly typeId: 'MFA'; readonly timeoutSeconds: number; readonly promptOnWake: boolean; readonly promptOnUnlock: boolean };

interface ProcessRules {
  readonly osType: System;
  readonly path: string;
  readonly hashes: readonly string[];
}

/** What an endpoint tells, as it is sent. */
export type Told =
  | { readonly typeId: 'OS'; readonly id: string; readonly type: string; readonly version: string; readonly build: string }
  | { readonly typeId: 'MAC'; readonly id: string; readonly macAddresses: readonly string[] }
  | { readonly typeId: 'DOMAIN'; readonly id: string; readonly domain: string }
  | ToldProcess
  | { readonly typeId: 'ENDPOINT_STATE'; readonly id: string; readonly woken: boolean; readonly unlocked: boolean };

interface ToldProcess {
  readonly typeId: 'PROCESS';
  readonly id: string;
  readonly path: string;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

/** What counts for a check: all that was told for the identity, oldest first, and what the API session did. Times in ms. */
export interface Endpoint {
  readonly told: readonly Told[];
  readonly passedAt: number | undefined;
  readonly wokenAt: number | undefined;
  readonly unlockedAt: number | undefined;
}

const plain = (text: string): string => [...text.toLowerCase()].filter((letter) => '0123456789abcdef'.includes(letter)).join('');

export const passes = (checkId: string, rules: Rules, endpoint: Endpoint, now: number): boolean => {
  const last = <T extends Told['typeId']>(typeId: T, which: (told: Extract<Told, { typeId: T }>) => boolean = () => true) =>
    endpoint.told.filter((told): told is Extract<Told, { typeId: T }> => told.typeId === typeId && which(told as never)).at(-1); // asked only of its own type
  switch (rules.typeId) {
    case 'OS': {
      const told = last('OS');
      const system = rules.operatingSystems.filter(({ type }) => told && sameSystem(type, told.type)).at(-1);
      return (
        told !== undefined &&
        system !== undefined &&
        (system.versions.length === 0 || system.versions.some((range) => isWithin(versionOf(told), range)))
      );
    }
    case 'MAC':
      return rules.macAddresses.some((listed) => last('MAC')?.macAddresses.some((told) => plain(told) === plain(listed)));
    case 'DOMAIN':
      return rules.domains.some((listed) => listed.toLowerCase() === last('DOMAIN')?.domain.toLowerCase());
    case 'PROCESS': {
      const { hashes, signerFingerprint } = rules.process;
      const told = last('PROCESS', ({ id }) => id === checkId);
      return isRightProcess(told, hashes, signerFingerprint === '' ? [] : [signerFingerprint]);
    }
    case 'PROCESS_MULTI': {
      const results = rules.processes.map(({ path, hashes, signerFingerprints }) =>
        isRightProcess(
          last('PROCESS', (told) => told.path === path),
          hashes,
          signerFingerprints,
        ),
      );
      return rules.semantic === 'AllOf' ? !results.includes(false) : results.includes(true);
    }
    case 'MFA': {
      const { passedAt, wokenAt, unlockedAt } = endpoint;
      if (passedAt === undefined) return false;
      if (rules.timeoutSeconds > 0 && now > passedAt + rules.timeoutSeconds * 1000) return false;
      if (rules.promptOnWake && wokenAt !== undefined && wokenAt >= passedAt && now > wokenAt + 300_000) return false;
      if (rules.promptOnUnlock && unlockedAt !== undefined && unlockedAt >= passedAt && now > unlockedAt + 300_000) return false;
      return true;
    }
  }
};

const sameSystem = (a: string, b: string): boolean => a.toLowerCase().replace('_', '') === b.toLowerCase().replace('_', '');

/** Windows has no patch level: there the build is the third number. */
const versionOf = ({ type, version, build }: Extract<Told, { typeId: 'OS' }>): string =>
  type.toLowerCase().startsWith('windows') && version.split('.').length === 2 && build !== '' ? `${version}.${build}` : version;

/** Ranges such as `>=5.4.0 <6.0.0 || 7.0.0`. */
const isWithin = (version: string, range: string): boolean => {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return false;
  for (const alternative of range.split(' || ')) {
    const fits = alternative.split(' ').every((comparator) => {
      const [, operator, bound = ''] = /^(>=|<|)(.*)$/.exec(comparator) ?? [];
      const order = compared(version, bound);
      return operator === '>=' ? order >= 0 : operator === '<' ? order < 0 : order === 0;
    });
    if (fits) return true;
  }
  return false;
};

const compared = (a: string, b: string): number => {
  for (const i of [0, 1, 2]) {
    const difference = Number(a.split('.')[i]) - Number(b.split('.')[i]);
    if (difference !== 0) return difference;
  }
  return 0;
};

const isRightProcess = (told: ToldProcess | undefined, hashes: readonly string[], signers: readonly string[]): boolean => {
  if (!told?.isRunning) return false;
  if (hashes.length > 0 && !hashes.some((hash) => plain(hash) === plain(told.hash))) return false;
  return signers.length === 0 || told.signerFingerprints.some((own) => signers.some((signer) => plain(own) === plain(signer)));
};

/** What an endpoint can tell to pass a check, or to come near it; of a code nothing can be told. */
export const answersTo = (id: string, rules: Rules): Told[] => {
  const running = ({ path, hashes: [hash = ''] }: ProcessRules, signerFingerprints: readonly string[]): Told => ({
    typeId: 'PROCESS',
    id,
    path,
    isRunning: true,
    hash,
    signerFingerprints,
  });
  switch (rules.typeId) {
    case 'OS':
      return [{ typeId: 'OS', id, type: rules.operatingSystems[0]?.type ?? '', version: '5.4.0', build: '' }];
    case 'MAC':
      return [{ typeId: 'MAC', id, macAddresses: rules.macAddresses }];
    case 'DOMAIN':
      return [{ typeId: 'DOMAIN', id, domain: rules.domains[0] ?? '' }];
    case 'PROCESS':
      return [running(rules.process, [rules.process.signerFingerprint])];
    case 'PROCESS_MULTI':
      return rules.processes.map((process) => running(process, process.signerFingerprints));
    case 'MFA':
      return [];
  }
};
