import { osKey } from '../src/contract/api/posture-checks/os-type.ts';
import type { PostureCheck, PostureResponse } from '../src/index.ts';
import { versionIn } from './versions.ts';

type TypeId = PostureCheck['typeId'];
type CheckOf<T extends TypeId> = Extract<PostureCheck, { readonly typeId: T }>;
type Reporter<T extends TypeId> = (checks: readonly CheckOf<T>[]) => readonly PostureResponse[];

/**
 * Creates reports about one endpoint that satisfy all of these checks. MFA checks need no report, because a code satisfies them.
 * @throws TypeError if no endpoint can satisfy all of them
 */
export const reportsFor = (checks: readonly PostureCheck[]): readonly PostureResponse[] =>
  Object.entries(reporters).flatMap(([typeId, report]) =>
    // Checks are passed to the function for their type.
    (report as Reporter<TypeId>)(checks.filter((check) => check.typeId === typeId)),
  );

/** Reports one operating system in one version, because an endpoint has only one. */
const reportSystem = (checks: readonly CheckOf<'OS'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  if (!first) return [];
  const entriesOf = (key: string) => checks.map(({ operatingSystems }) => operatingSystems.find(({ type }) => osKey(type) === key));
  const found = first.operatingSystems
    .map(({ type }) => ({ type, entries: entriesOf(osKey(type)).filter((entry) => entry !== undefined) }))
    .find(({ entries }) => entries.length === checks.length);
  if (!found) throw new TypeError(`no operating system is in all of ${namesOf(checks)}`);
  return [{ typeId: 'OS', id: first.id, type: found.type, version: versionIn(found.entries.map(({ versions }) => versions ?? [])) }];
};

const reportAddresses = (checks: readonly CheckOf<'MAC'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  return first ? [{ typeId: 'MAC', id: first.id, macAddresses: checks.flatMap(({ macAddresses }) => macAddresses.slice(0, 1)) }] : [];
};

/** Reports one domain, because an endpoint is in only one. */
const reportDomain = (checks: readonly CheckOf<'DOMAIN'>[]): readonly PostureResponse[] => {
  const [first] = checks;
  if (!first) return [];
  const isIn = (name: string) => (check: CheckOf<'DOMAIN'>) => check.domains.some((domain) => domain.toLowerCase() === name.toLowerCase());
  const found = first.domains.find((name) => checks.every(isIn(name)));
  if (found === undefined) throw new TypeError(`no domain is in all of ${namesOf(checks)}`);
  return [{ typeId: 'DOMAIN', id: first.id, domain: found }];
};

const reportProcess = ({ id, process: { path, hashes, signerFingerprint } }: CheckOf<'PROCESS'>): PostureResponse =>
  runningProcess(id, path, hashes ?? [], signerFingerprint ? [signerFingerprint] : []);

const reportProcesses = ({ id, semantic, processes }: CheckOf<'PROCESS_MULTI'>): readonly PostureResponse[] =>
  (semantic === 'AllOf' ? processes : processes.slice(0, 1)).map(({ path, hashes, signerFingerprints }) =>
    runningProcess(id, path, hashes, signerFingerprints),
  );

const runningProcess = (id: string, path: string, [hash]: readonly string[], signers: readonly string[]): PostureResponse => ({
  typeId: 'PROCESS',
  id,
  path,
  isRunning: true,
  ...(hash ? { hash } : {}),
  signerFingerprints: signers.slice(0, 1),
});

const namesOf = (checks: readonly PostureCheck[]): string => checks.map(({ name }) => `'${name}'`).join(' and ');

/** Create the reports that satisfy all given checks of a type. */
const reporters: { readonly [T in TypeId]: Reporter<T> } = {
  OS: reportSystem,
  MAC: reportAddresses,
  DOMAIN: reportDomain,
  PROCESS: (checks) => checks.map(reportProcess),
  PROCESS_MULTI: (checks) => checks.flatMap(reportProcesses),
  MFA: () => [],
};
