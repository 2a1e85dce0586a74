/** Finds the policy tests that a transaction breaks. */
import { identity, policyTest, service, servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ALL, and, compareText, oneOf, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { decidingFields, differsIn } from '../evaluation/deciding-fields.ts';
import { permissionsAmong } from '../evaluation/evaluate.ts';
import { maybeSelecting, type Selectable } from '../roles/membership.ts';

type PolicyTest = RowOf<typeof policyTest>;

/** Maximum number of policy tests of a network, because writes evaluate them. */
export const MAX_POLICY_TESTS = 1000;

/** The fields of a test that affect its result. */
const ASSERTED_FIELDS = ['identityId', 'identityAttributes', 'serviceId', 'expect'] as const satisfies readonly (keyof PolicyTest)[];

const ID = stringField('id');

/** The tests that fail in a state. An identity or a service that does not exist has no access. Runs three queries. */
const failingAmong = async (entities: Entities, tests: readonly PolicyTest[]): Promise<readonly PolicyTest[]> => {
  if (tests.length === 0) return [];
  const ids = [...new Set(tests.flatMap(({ identityId }) => identityId ?? []))];
  const identities = ids.length === 0 ? [] : await entities.list(identity, { where: oneOf(ID, ids) });
  const services = await entities.list(service, { where: oneOf(ID, [...new Set(tests.map(({ serviceId }) => serviceId))]) });
  const identityById = new Map(identities.map((row) => [row.id, row]));
  const serviceById = new Map(services.map((row) => [row.id, row]));
  const subjects = new Map(
    tests.flatMap((test): readonly [PolicyTest, Selectable][] => {
      const subject = test.identityId ? identityById.get(test.identityId) : { id: '', roleAttributes: test.identityAttributes ?? [] };
      return subject ? [[test, subject]] : [];
    }),
  );
  const distinctSubjects = [...new Set(subjects.values())];
  const policies = await entities.list(servicePolicy, {
    where: and(maybeSelecting('identityRoles', distinctSubjects), maybeSelecting('serviceRoles', services)),
  });
  const permissions = await permissionsAmong(policies, distinctSubjects, services);
  return tests.filter((test) => {
    const [subject, testedService] = [subjects.get(test), serviceById.get(test.serviceId)];
    const { dial, bind } = subject && testedService ? permissions(subject, testedService) : { dial: false, bind: false };
    return !{ none: !dial && !bind, dial, bind }[test.expect];
  });
};

/** The changes of a transaction that can affect results: whether policies changed, and the ids of the other changed entities. */
interface RelevantChanges {
  readonly hasPolicies: boolean;
  readonly identities: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
  readonly tests: ReadonlySet<string>;
}

type Changes = Entities['allChanges'];

/** The fields that affect the results of tests, by kind. */
const relevantFields: Readonly<Record<string, readonly string[] | undefined>> = { ...decidingFields, [policyTest.kind]: ASSERTED_FIELDS };

const isRelevant = (change: Changes[number]): boolean => {
  const fields = relevantFields[change.entity];
  return fields !== undefined && differsIn(fields, change);
};

const relevantChanges = (changes: Changes): RelevantChanges => {
  const byKind = Map.groupBy(changes, ({ entity }): string => entity);
  const idsOf = ({ kind }: { readonly kind: string }) => new Set(byKind.get(kind)?.map(({ entityId }) => entityId));
  return {
    hasPolicies: byKind.has(servicePolicy.kind),
    identities: idsOf(identity),
    services: idsOf(service),
    tests: idsOf(policyTest),
  };
};

/** The tests whose result the changes can affect. */
const affectedTests = async (
  entities: Entities,
  { hasPolicies, identities, services, tests }: RelevantChanges,
): Promise<readonly PolicyTest[]> => {
  if (!hasPolicies && identities.size === 0 && services.size === 0)
    return tests.size === 0 ? [] : entities.list(policyTest, { where: oneOf(ID, [...tests]) });
  const all = await entities.list(policyTest, { where: ALL, limit: MAX_POLICY_TESTS });
  if (hasPolicies) return all;
  return all.filter(({ id, identityId, serviceId }) => tests.has(id) || identities.has(identityId ?? '') || services.has(serviceId));
};

/**
 * The tests that the writes of a transaction break, by name: tests that fail now and passed before, or that were changed and now fail.
 * @param entities the state after the writes
 */
export const brokenTests = async (entities: Entities): Promise<readonly PolicyTest[]> => {
  const changes = entities.allChanges.filter(isRelevant);
  // Most writes affect no test, and must not cause reads.
  if (changes.length === 0) return [];
  const relevant = relevantChanges(changes);
  const failing = await failingAmong(entities, await affectedTests(entities, relevant));
  const unchanged = failing.filter(({ id }) => !relevant.tests.has(id));
  const failedBefore = new Set(unchanged.length === 0 ? [] : (await failingAmong(entities.past(), unchanged)).map(({ id }) => id));
  return failing.filter(({ id }) => !failedBefore.has(id)).sort((a, b) => compareText(a.name, b.name));
};
