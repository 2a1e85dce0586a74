import { rowsById } from '../../call/resources/references.ts';
import { identity, service, servicePolicy } from '../../contract/api/kinds.ts';
import { inBatches } from '../../runtime/concurrency/event-loop.ts';
import type { Job } from '../../store/jobs/background.ts';
import type { KeptEntry } from './entries.ts';
import type { UsagePart } from './write-step.ts';

/** Number of names that are read at once. */
const NAMES_AT_ONCE = 500;

/**
 * Gives entries without names the names of their identity, service and policies.
 * @returns the names of the identities and services of these entries and reports, by id
 */
export const readNames = async (
  read: Job['read'],
  entries: readonly KeptEntry[],
  parts: readonly UsagePart[],
): Promise<(id: string) => string> => {
  const unnamed = entries.filter(({ names }) => !names);
  const circuits = parts.flatMap(({ usages }) => usages.map(({ circuit }) => circuit));
  const [identities, services] = [circuits.map(({ clientId }) => clientId), circuits.map(({ serviceId }) => serviceId)];
  const names = new Map<string, string>();
  const readThose = async (kind: typeof identity | typeof service | typeof servicePolicy, ids: readonly string[]) => {
    for (const some of inBatches(new Set(ids), () => 1, NAMES_AT_ONCE))
      for (const [id, { name }] of await read((entities) => rowsById(entities, kind, some))) names.set(id, name ?? '');
  };
  await readThose(identity, [...identities, ...entries.map(({ identityId }) => identityId)]);
  await readThose(service, [...services, ...entries.map(({ serviceId }) => serviceId)]);
  await readThose(
    servicePolicy,
    unnamed.flatMap(({ grantedBy }) => grantedBy),
  );
  const nameOf = (id: string): string => names.get(id) ?? '';
  for (const entry of unnamed)
    entry.names = {
      identityName: nameOf(entry.identityId),
      serviceName: nameOf(entry.serviceId),
      policies: entry.grantedBy.map((id) => ({ id, name: nameOf(id) })),
    };
  return nameOf;
};
