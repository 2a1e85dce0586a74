import { osKey } from '../src/api/posture-checks/os-type.ts';
import type { PostureCheck, PostureResponse } from '../src/index.ts';
import { versionIn } from './versions.ts';

type TypeId = PostureCheck['typeId'];
type CheckOf<T extends TypeId> = Extract<PostureCheck, { readonly typeId: T }>;
type Meet<T extends TypeId> = (checks: readonly CheckOf<T>[]) => readonly PostureResponse[];

/**
 * Reports about one endpoint that satisfy all of these checks. MFA checks need none, because a code satisfies them.
 * @throws TypeError if no endpoint can satisfy all of them
 */
export const reportsFor = (checks: readonly PostureCheck[]): readonly PostureResponse[] =>
  Object.entries(meet).flatMap(([typeId, meetAll]) =>
    // Checks are passed to the function for their type.
    (meetAll as Meet<TypeId>)(checks.filter((check) => check.typeId === typeId)),
  );

/** An endpoint has one operating system, in one version. */
const system = (checks: readonly CheckOf<'OS'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  if (!first) return [];
  const entriesOf = (key: string) => checks.map(({ operatingSystems }) => operatingSystems.find(({ type }) => osKey(type) === key));
  const found = first.operatingSystems
    .map(({ type }) => ({ type, entries: entriesOf(osKey(type)).filter((entry) => entry !== undefined) }))
    .find(({ entries }) => entries.length === checks.length);
  if (!found) throw new TypeError(`no operating system is in all of ${namesOf(checks)}`);
  return [{ typeId: 'OS', id: first.id, type: found.type, version: versionIn(found.entries.map(({ versions }) => versions ?? [])) }];
};

const addresses = (checks: readonly CheckOf<'MAC'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  return first ? [{ typeId: 'MAC', id: first.id, macAddresses: checks.flatMap(({ macAddresses }) => macAddresses.slice(0, 1)) }] : [];
};

/** An endpoint is in one domain. */
const domain = (checks: readonly CheckOf<'DOMAIN'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  if (!first) return [];
  const isIn = (name: string) => (check: CheckOf<'DOMAIN'>) => check.domains.some((one) => one.toLowerCase() === name.toLowerCase());
  const found = first.domains.find((name) => checks.every(isIn(name)));
  if (found === undefined) throw new TypeError(`no domain is in all of ${namesOf(checks)}`);
  return [{ typeId: 'DOMAIN', id: first.id, domain: found }];
};

const process = ({ id, process: { path, hashes, signerFingerprint } }: CheckOf<'PROCESS'>): PostureResponse =>
  running(id, path, hashes ?? [], signerFingerprint ? [signerFingerprint] : []);

const processes = ({ id, semantic, processes: listed }: CheckOf<'PROCESS_MULTI'>): readonly PostureResponse[] =>
  (semantic === 'AllOf' ? listed : listed.slice(0, 1)).map(({ path, hashes, signerFingerprints }) =>
    running(id, path, hashes, signerFingerprints),
  );

const running = (id: string, path: string, [hash]: readonly string[], signers: readonly string[]): PostureResponse => ({
  typeId: 'PROCESS',
  id,
  path,
  isRunning: true,
  ...(hash ? { hash } : {}),
  signerFingerprints: signers.slice(0, 1),
});

const namesOf = (checks: readonly PostureCheck[]): string => checks.map(({ name }) => `'${name}'`).join(' and ');

/** Makes, for each type, reports that satisfy all of the given checks of that type. */
const meet: { readonly [T in TypeId]: Meet<T> } = {
  OS: system,
  MAC: addresses,
  DOMAIN: domain,
  PROCESS: (checks) => checks.map(process),
  PROCESS_MULTI: (checks) => checks.flatMap(processes),
  MFA: () => [],
};
