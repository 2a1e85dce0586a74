import { type Client, each } from '../../client/index.ts';
import { StartFailure } from '../../server/failure.ts';
import { builtinConfigTypes } from '../../src/access/configs/builtin.ts';
import { compareText } from '../../src/query/order.ts';
import { copyText } from '../../src/runtime/platform/copy-text.ts';
import { withoutExpired } from './open-enrollments.ts';
import { differingFieldsOf, textOf } from './same-values.ts';

type Values = Readonly<Record<string, unknown>>;
type Entity = Values & { readonly id: string };

/** The groups of the API whose entities are compared. */
const COLLECTIONS = [
  'authPolicies',
  'cas',
  'externalJwtSigners',
  'configTypes',
  'configs',
  'services',
  'postureChecks',
  'edgeRouters',
  'transitRouters',
  'identities',
  'authenticators',
  'enrollments',
  'servicePolicies',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
] as const;

/** The operations of a controller that are asked. */
export type ComparedApi = Pick<Client, (typeof COLLECTIONS)[number]>;

/** Something in which the networks differ. */
export interface Difference {
  readonly collection: string;
  readonly id: string;
  readonly name: string;
  /** A field; `missing` and `added` for the entity as a whole. */
  readonly what: string;
  readonly former?: string;
  readonly adopted?: string;
}

/** The compared collection. */
export interface Comparison {
  /** Entities by collection. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
  /** True if there are more differences than are listed. */
  readonly hasMore: boolean;
}

/** Config types that each controller brings, in the form of its release. */
const builtIn: ReadonlySet<string> = new Set(builtinConfigTypes.map(({ id }) => id));

const MAX_DIFFERENCES = 1000;
/** Pairs of an identity and a service for which policy advice is compared. */
const ADVICE_SAMPLE = 100;

/**
 * Compares what two controllers show of a network: every collection, the services of every identity, and policy advice for some of them.
 * Enrollments that have expired are not compared.
 * @param now in milliseconds
 */
export const compareNetworks = async (former: ComparedApi, adopted: ComparedApi, now: number): Promise<Comparison> => {
  const differences: Difference[] = [];
  const counts: Record<string, number> = {};
  let found = 0;
  for await (const difference of differencesBetween(former, adopted, now, counts)) {
    found++;
    if (differences.length < MAX_DIFFERENCES) differences.push(difference);
  }
  return { counts, differences, hasMore: found > differences.length };
};

async function* differencesBetween(
  former: ComparedApi,
  adopted: ComparedApi,
  now: number,
  counts: Record<string, number>,
): AsyncGenerator<Difference> {
  let advised = 0;
  for (const collection of COLLECTIONS) {
    counts[collection] = 0;
    for await (const [before, after] of paired(entitiesOf(former, collection, now), entitiesOf(adopted, collection, now))) {
      counts[collection]++;
      const entity = before ?? after;
      if (!entity) continue;
      if (collection === 'configTypes' && builtIn.has(entity.id)) continue;
      const difference = (what: string, values: Partial<Difference> = {}): Difference => ({
        collection,
        ...named(entity),
        what,
        ...values,
      });
      if (!before || !after) {
        yield difference(before ? 'missing' : 'added');
        continue;
      }
      for (const field of differingFieldsOf(collection, before, after))
        yield difference(field, { former: shownOf(before, field), adopted: shownOf(after, field) });
      if (collection !== 'identities') continue;
      const { id } = entity;
      const [here, there] = [await servicesOf(former, id), await servicesOf(adopted, id)];
      if (textOf(here) !== textOf(there)) yield difference('services', { former: shown(here), adopted: shown(there) });
      const [serviceId] = here;
      if (serviceId === undefined || advised === ADVICE_SAMPLE) continue;
      advised++;
      const [advice, other] = [await adviceOf(former, id, serviceId), await adviceOf(adopted, id, serviceId)];
      if (textOf(advice) !== textOf(other))
        yield difference(`policy advice for ${serviceId}`, { former: shown(advice), adopted: shown(other) });
    }
  }
}

const MAX_SHOWN = 300;
const shown = (value: unknown): string => copyText(JSON.stringify(value, concealed) ?? 'nothing', MAX_SHOWN);

/** Fields whose owner can enroll, or verify an authority. That they differ is shown, and not what they are. */
const SECRETS: ReadonlySet<string> = new Set(['token', 'jwt', 'enrollmentToken', 'enrollmentJwt', 'verificationToken']);
const concealed = (field: string, value: unknown): unknown => (SECRETS.has(field) && typeof value === 'string' ? '***' : value);

const shownOf = (entity: Entity, field: string): string => shown(concealed(field, entity[field]));

const named = ({ id, name }: Entity) => ({ id: copyText(id, MAX_SHOWN), name: copyText(typeof name === 'string' ? name : id, MAX_SHOWN) });

type ListEntities = Parameters<typeof each<Values, Entity>>[0];

/** The entities of a collection, by ascending ids. */
async function* entitiesOf(api: ComparedApi, collection: (typeof COLLECTIONS)[number], now: number): AsyncGenerator<Entity> {
  const list = api[collection].list as unknown as ListEntities; // all lists have these parameters
  for await (const entity of ascending(each(list, { sort: 'id' }), collection)) {
    const open = withoutExpired(collection, entity, now);
    if (open) yield open;
  }
}

/** Far more than any network has of one kind. */
const MAX_ENTITIES = 10_000_000;

/**
 * Passes entities on, as long as their ids ascend: with a controller that answers the same page again and again, the comparison would not
 * end.
 * @param what is listed, for the error
 * @throws StartFailure
 */
async function* ascending<T extends { readonly id: string }>(entities: AsyncIterable<T>, what: string): AsyncGenerator<T> {
  let [last, count]: [string | undefined, number] = [undefined, 0];
  for await (const entity of entities) {
    if (last !== undefined && compareText(entity.id, last) <= 0)
      throw new StartFailure(
        `a controller does not list ${what} by ascending ids, which the comparison needs: '${entity.id.slice(0, 200)}' follows '${last.slice(0, 200)}'`,
      );
    if (++count > MAX_ENTITIES) throw new StartFailure(`a controller lists more than ${MAX_ENTITIES} ${what}`);
    last = entity.id;
    yield entity;
  }
}

/** Pairs of entities with the same id, of two lists by ascending ids. */
async function* paired(
  former: AsyncGenerator<Entity>,
  adopted: AsyncGenerator<Entity>,
): AsyncGenerator<readonly [Entity | undefined, Entity | undefined]> {
  const nextOf = async (from: AsyncGenerator<Entity>): Promise<Entity | undefined> => {
    const { done, value } = await from.next();
    return done ? undefined : value;
  };
  let [one, other] = [await nextOf(former), await nextOf(adopted)];
  while (one || other) {
    const isFirst = one && (!other || compareText(one.id, other.id) <= 0);
    const isSecond = other && (!one || compareText(other.id, one.id) <= 0);
    yield [isFirst ? one : undefined, isSecond ? other : undefined];
    if (isFirst) one = await nextOf(former);
    if (isSecond) other = await nextOf(adopted);
  }
}

const servicesOf = async ({ identities }: ComparedApi, id: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const service of ascending(each(identities.listServices, { id, sort: 'id' }), `services of the identity ${id}`))
    ids.push(service.id);
  return ids;
};

const adviceOf = async ({ identities }: ComparedApi, id: string, serviceId: string) => {
  const { isDialAllowed, isBindAllowed, identityRouterCount, serviceRouterCount, commonRouters } = await identities.getPolicyAdvice({
    id,
    serviceId,
  });
  return {
    isDialAllowed,
    isBindAllowed,
    identityRouterCount,
    serviceRouterCount,
    commonRouters: commonRouters?.map((router) => router.id),
  };
};
