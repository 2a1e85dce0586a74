/** Who may reach what: the pairs of identities and services that policies relate, in order of their names, page by page. */
import { identity, service, servicePolicy } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import type { PolicyType } from '../../../api/policies.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ALL, and, type Predicate, type SortKey, stringField } from '../../../query/index.ts';
import { ofType } from '../policies/traversal.ts';
import { memoized } from '../posture/memoized.ts';
import { maybeSelecting, selectedBy } from '../roles/membership.ts';
import { selectingEach } from '../roles/selection-index.ts';
import { isBeyond, type PairPosition } from './pairs.ts';

type Identity = RowOf<typeof identity>;
type Service = RowOf<typeof service>;
type Policy = RowOf<typeof servicePolicy>;

/** A pair that policies relate, posture aside. */
export interface AccessPair {
  readonly identity: Identity;
  readonly service: Service;
  readonly type: PolicyType;
  /** The policies of the type that select both. */
  readonly policies: readonly Policy[];
}

export interface MatrixQuestion {
  /** The identities that count. */
  readonly identities: Predicate;
  readonly services: Predicate;
  /** Default: both. */
  readonly type?: PolicyType | undefined;
  /** Maximum number of pairs. */
  readonly limit: number;
  /** Continues after this place: the name of the identity, that of the service, and the type. Default: from the first pair. */
  readonly after?: PairPosition | undefined;
}

export interface MatrixPage {
  readonly pairs: readonly AccessPair[];
  /** The place after which to continue; undefined if nothing is left. */
  readonly next: PairPosition | undefined;
}

/** Number of identities that are read at a time. */
const BATCH = 100;
/** A page ends after this many identities, even if fewer pairs were found. */
const MAX_EXAMINED = 2000;

const NAME = stringField('name');
const BY_NAME: readonly SortKey[] = [{ field: NAME, descending: false }];
const TYPES: readonly PolicyType[] = ['Bind', 'Dial'];

export const matrixPage = async (entities: Entities, question: MatrixQuestion): Promise<MatrixPage> => {
  const { type, limit, after } = question;
  const types = type ? [type] : TYPES;
  const servicesIn = serviceReader(entities, question.services);
  const pairs: AccessPair[] = [];
  const place = () => {
    const last = pairs.at(-1);
    return last && [last.identity.name, last.service.name, last.type];
  };
  let from: Predicate = after ? { op: 'compare', field: NAME, is: '>=', value: after[0] ?? '' } : ALL;
  for (let examined = 0; ; ) {
    const batch = await entities.list(identity, { where: and(question.identities, from), sort: BY_NAME, limit: BATCH });
    const policies = batch.length === 0 ? [] : await policiesOf(entities, batch, type);
    const services = await servicesIn(policies);
    const selectingWho = await selectingEach(batch, policies, ({ semantic, identityRoles: roles }) => ({ semantic, roles }));
    const selectingWhat = await selectingEach(services, policies, ({ semantic, serviceRoles: roles }) => ({ semantic, roles }));
    for (const who of batch) {
      const own = new Set(selectingWho.get(who));
      const granting = memoized((selecting: readonly Policy[]) => selecting.filter((policy) => own.has(policy)));
      for (const what of own.size === 0 ? [] : services)
        for (const each of types) {
          const policiesOfBoth = granting(selectingWhat.get(what) ?? NONE).filter((policy) => policy.type === each);
          if (policiesOfBoth.length === 0 || !isBeyond(after, [who.name, what.name, each])) continue;
          if (pairs.length === limit) return { pairs, next: place() };
          pairs.push({ identity: who, service: what, type: each, policies: policiesOfBoth });
        }
    }
    const last = batch.at(-1);
    if (batch.length < BATCH || !last) return { pairs, next: undefined };
    examined += batch.length;
    if (examined >= MAX_EXAMINED) return { pairs, next: [last.name, BEYOND, ''] };
    from = { op: 'compare', field: NAME, is: '>', value: last.name };
  }
};

const NONE: readonly never[] = [];
/** Sorts after every name. */
const BEYOND = '\u{10ffff}';

const policiesOf = (entities: Entities, identities: readonly Identity[], type: PolicyType | undefined): Promise<readonly Policy[]> =>
  entities.list(servicePolicy, { where: and(ofType(type), maybeSelecting('identityRoles', identities)) });

/** Reads the services that policies select, in order of name. Batches of identities often share their policies. */
const serviceReader = (entities: Entities, within: Predicate) => {
  let last: { readonly key: string; readonly services: readonly Service[] } | undefined;
  return async (policies: readonly Policy[]): Promise<readonly Service[]> => {
    const where = and(within, await selectedBy(policies.map(({ semantic, serviceRoles: roles }) => ({ semantic, roles }))));
    const key = JSON.stringify(where);
    if (last?.key !== key) last = { key, services: where.op === 'none' ? [] : await entities.list(service, { where, sort: BY_NAME }) };
    return last.services;
  };
};

/** The identities that policies let dial or bind a service. */
export const identitiesReaching = async (entities: Entities, what: Service, type: PolicyType | undefined): Promise<Predicate> => {
  const policies = await entities.list(servicePolicy, { where: and(ofType(type), maybeSelecting('serviceRoles', [what])) });
  return selectedBy(policies.map(({ semantic, identityRoles: roles }) => ({ semantic, roles })));
};
