/** The access matrix: the pairs of identities and services that policies relate, ordered by name, in pages. */
import { identity as identityKind, service as serviceKind, servicePolicy } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { PolicyType } from '../../contract/api/policies.ts';
import { ALL, and, type Predicate, type SortKey, stringField } from '../../query/index.ts';
import { memoize } from '../../runtime/memoize.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { ofType } from '../policies/traversal.ts';
import { isAfterPosition, type PairPosition } from '../report/pair-position.ts';
import { REFERENCES_PER_PAGE } from '../report/report-page.ts';
import { maybeSelecting, selectedBy } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';

type Identity = RowOf<typeof identityKind>;
type Service = RowOf<typeof serviceKind>;
type Policy = RowOf<typeof servicePolicy>;

/** A pair that policies relate, regardless of posture. */
export interface AccessPair {
  readonly identity: Identity;
  readonly service: Service;
  readonly type: PolicyType;
  /** The policies of this type that select both. */
  readonly policies: readonly Policy[];
}

/** The part of the matrix to read. */
export interface MatrixSelection {
  readonly identities: Predicate;
  readonly services: Predicate;
  /** Default: both. */
  readonly type?: PolicyType | undefined;
  /** Maximum number of pairs. */
  readonly limit: number;
  /**
   * Continues after this position: name of the identity, name of the service, type; or the name of an identity alone, after all its pairs.
   * Default: the beginning.
   */
  readonly after?: PairPosition | undefined;
}

export interface MatrixPage {
  readonly pairs: readonly AccessPair[];
  /** The position of the last pair or identity, to continue after; undefined on the last page. */
  readonly next: PairPosition | undefined;
}

/** Number of identities read at a time. */
const BATCH_SIZE = 100;
/** Maximum number of identities examined for a page, which may then contain fewer pairs than its limit. */
const MAX_EXAMINED = 2000;

const NAME = stringField('name');
const BY_NAME: readonly SortKey[] = [{ field: NAME, descending: false }];
const TYPES: readonly PolicyType[] = ['Bind', 'Dial'];

export const matrixPage = async (entities: Entities, selection: MatrixSelection): Promise<MatrixPage> => {
  const { type, limit, after } = selection;
  const types = type ? [type] : TYPES;
  const pairs: AccessPair[] = [];
  let [examined, policies] = [0, 0];
  for await (const candidates of candidateBatches(entities, selection)) {
    for (const pair of relatedPairs(candidates, types)) {
      if (!isAfterPosition(after, matrixPosition(pair))) continue;
      const last = pairs.at(-1);
      // A bound of the work: the posture checks, which end the page earlier, are read for its policies (`presentPairs`).
      if (pairs.length === limit || policies >= REFERENCES_PER_PAGE) return { pairs, next: last && matrixPosition(last) };
      pairs.push(pair);
      policies += pair.policies.length;
    }
    examined += candidates.identities.length;
    const last = candidates.identities.at(-1);
    if (last && examined >= MAX_EXAMINED) return { pairs, next: [last.name] };
  }
  return { pairs, next: undefined };
};

export const matrixPosition = ({ identity, service, type }: AccessPair): PairPosition => [identity.name, service.name, type];

/** A batch of identities, the services that they might use, and the policies that select each of them. */
interface Candidates {
  readonly identities: readonly Identity[];
  readonly services: readonly Service[];
  readonly policiesOfIdentity: ReadonlyMap<Identity, readonly Policy[]>;
  readonly policiesOfService: ReadonlyMap<Service, readonly Policy[]>;
}

async function* candidateBatches(entities: Entities, { type, after, ...selection }: MatrixSelection): AsyncGenerator<Candidates> {
  const servicesSelectedBy = createServiceReader(entities, selection.services);
  let from: Predicate = after ? { op: 'compare', field: NAME, is: '>=', value: after[0] ?? '' } : ALL;
  let identities: readonly Identity[];
  do {
    identities = await entities.list(identityKind, { where: and(selection.identities, from), sort: BY_NAME, limit: BATCH_SIZE });
    const last = identities.at(-1);
    if (!last) return;
    const policies = await policiesOf(entities, identities, type);
    const services = await servicesSelectedBy(policies);
    yield {
      identities,
      services,
      policiesOfIdentity: await selectingEach(identities, policies, ({ semantic, identityRoles: roles }) => ({ semantic, roles })),
      policiesOfService: await selectingEach(services, policies, ({ semantic, serviceRoles: roles }) => ({ semantic, roles })),
    };
    from = { op: 'compare', field: NAME, is: '>', value: last.name };
  } while (identities.length === BATCH_SIZE);
}

/** The pairs that policies relate, ordered by identity, service and type. */
function* relatedPairs(candidates: Candidates, types: readonly PolicyType[]): Generator<AccessPair> {
  const { identities, services, policiesOfIdentity, policiesOfService } = candidates;
  for (const identity of identities) {
    const own = new Set(policiesOfIdentity.get(identity));
    if (own.size === 0) continue;
    const sharedWith = memoize((selecting: readonly Policy[]) => selecting.filter((policy) => own.has(policy)));
    for (const service of services) {
      const shared = sharedWith(policiesOfService.get(service) ?? NONE);
      for (const type of types) {
        const policies = shared.filter((policy) => policy.type === type);
        if (policies.length > 0) yield { identity, service, type, policies };
      }
    }
  }
}

const NONE: readonly never[] = [];

const policiesOf = (entities: Entities, identities: readonly Identity[], type: PolicyType | undefined): Promise<readonly Policy[]> =>
  entities.list(servicePolicy, { where: and(ofType(type), maybeSelecting('identityRoles', identities)) });

/** Creates a reader of the services that policies select, by name. It caches its last result, because batches often share policies. */
const createServiceReader = (entities: Entities, within: Predicate) => {
  let last: { readonly key: string; readonly services: readonly Service[] } | undefined;
  return async (policies: readonly Policy[]): Promise<readonly Service[]> => {
    const where = and(within, await selectedBy(policies.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles }))));
    const key = JSON.stringify(where);
    if (last?.key !== key) last = { key, services: where.op === 'none' ? [] : await entities.list(serviceKind, { where, sort: BY_NAME }) };
    return last.services;
  };
};

/** Selects the identities that policies allow to dial or bind a service. */
export const identitiesReaching = async (entities: Entities, service: Service, type: PolicyType | undefined): Promise<Predicate> => {
  const policies = await entities.list(servicePolicy, { where: and(ofType(type), maybeSelecting('serviceRoles', [service])) });
  return selectedBy(policies.map(({ semantic, identityRoles: roles }) => ({ semantic, roles })));
};
