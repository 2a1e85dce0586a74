/** Evaluates policy tests: whether the policies still say what they must. */
import { identity, policyTest, service, servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, and, compareText, oneOf, stringField } from '../../../query/index.ts';
import { decidingFields, differsIn } from '../access/deciding-fields.ts';
import { permissionsAmong } from '../access/evaluate.ts';
import { maybeSelecting, type Selectable } from '../roles/membership.ts';

type PolicyTest = RowOf<typeof policyTest>;

/** Maximum number of policy tests of a network, because writes evaluate them. */
export const MAX_POLICY_TESTS = 1000;

/** The fields of a test that decide whether it holds. */
const SAYS = ['identityId', 'identityAttributes', 'serviceId', 'expect'] as const satisfies readonly (keyof PolicyTest)[];

const ID = stringField('id');

/** The tests that do not hold in a state. An entity that does not exist may do nothing. Takes three queries. */
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
  const who = [...new Set(subjects.values())];
  const policies = await entities.list(servicePolicy, {
    where: and(maybeSelecting('identityRoles', who), maybeSelecting('serviceRoles', services)),
  });
  const permissions = await permissionsAmong(policies, who, services);
  return tests.filter((test) => {
    const [subject, what] = [subjects.get(test), serviceById.get(test.serviceId)];
    const { dial, bind } = subject && what ? permissions(subject, what) : { dial: false, bind: false };
    return test.expect === 'none' ? dial || bind : test.expect === 'dial' ? !dial : !bind;
  });
};

/** What the writes of a transaction changed of that which decides whether tests hold. */
interface Decisive {
  readonly hasPolicies: boolean;
  readonly identities: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
  readonly tests: ReadonlySet<string>;
}

const decisiveAmong = (changes: Entities['allChanges']): Decisive => {
  const idsOf = ({ kind }: { readonly kind: string }, fields: readonly string[] = []) =>
    new Set(changes.flatMap((change) => (change.entity === kind && differsIn(fields, change) ? [change.entityId] : [])));
  return {
    hasPolicies: idsOf(servicePolicy, decidingFields.servicePolicy).size > 0,
    identities: idsOf(identity, decidingFields.identity),
    services: idsOf(service, decidingFields.service),
    tests: idsOf(policyTest, SAYS),
  };
};

/** The tests whose outcome a write can have changed. Most writes have none, and read nothing. */
const testsAt = async (entities: Entities, { hasPolicies, identities, services, tests }: Decisive): Promise<readonly PolicyTest[]> => {
  if (!hasPolicies && identities.size === 0 && services.size === 0)
    return tests.size === 0 ? [] : entities.list(policyTest, { where: oneOf(ID, [...tests]) });
  const all = await entities.list(policyTest, { where: ALL, limit: MAX_POLICY_TESTS });
  if (hasPolicies) return all;
  return all.filter(({ id, identityId, serviceId }) => tests.has(id) || identities.has(identityId ?? '') || services.has(serviceId));
};

/**
 * The tests that the writes of a transaction break, by name: they fail now, and did not before, or say something else than before.
 * @param entities the state after the writes
 */
export const brokenTests = async (entities: Entities): Promise<readonly PolicyTest[]> => {
  const decisive = decisiveAmong(entities.allChanges);
  const failing = await failingAmong(entities, await testsAt(entities, decisive));
  const doubtful = failing.filter(({ id }) => !decisive.tests.has(id));
  const failedBefore = new Set(doubtful.length === 0 ? [] : (await failingAmong(entities.past(), doubtful)).map(({ id }) => id));
  return failing.filter(({ id }) => !failedBefore.has(id)).sort((a, b) => compareText(a.name, b.name));
};
