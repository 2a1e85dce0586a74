/**
 * The side questions that a call puts to the host's rule: which entities of related kinds the caller may see and change, and whether the
 * answer may show credentials.
 */

import type { Operation } from '../../contract/api/kit/operation.ts';
import type { Kind } from '../../contract/api/kit/resource.ts';
import { type Action, rightTo } from '../../contract/api/kit/right.ts';
import { surfaces } from '../../contract/api/surfaces/index.ts';
import type { Grant } from '../grant.ts';
import { EVERY_ENTITY, type Limit, type Limits, NO_ENTITY, withinAll, withinAny } from '../limit.ts';
import { credentialsOf } from '../resources/credential-fields.ts';
import { isOnKind } from '../resources/granted.ts';
import { allKinds, kindOf } from '../resources/kinds.ts';
import { ownersOf } from '../resources/owners.ts';
import { symbolsFor } from '../resources/symbols.ts';
import { type CalledOperation, limitBy, type Verdict } from './host-rule.ts';
import { answeredKind, kindAt, namedIn, operations } from './named-kinds.ts';

/** A side question: whether the caller could call an operation that acts on entities of a related kind. */
export interface Aside extends CalledOperation {
  readonly about: 'visibility' | 'credentials';
  /** Without ids, and with an empty body if the operation takes one. */
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Asks the rule, and the permissions of an API token.
 * @returns their verdicts, of which each limits the caller
 * @throws ApiError `UNAUTHORIZED` if the rule fails
 */
export type AskAside = (aside: Aside) => Promise<readonly Verdict[]>;

/** The question about an operation that performs the action on the kind; undefined if there is no such operation. */
const asideOf = (kind: Kind, action: Action, about: Aside['about']): Aside | undefined => {
  const right = rightTo(action, kind);
  const candidates = operations.filter(({ operation }) => operation.permission === right && isOf(operation, kind));
  const chosen = candidates.find(({ verb }) => verb === 'patch') ?? candidates[0];
  return chosen && { about, operation: chosen.name, right, input: chosen.operation.body ? { body: {} } : {} };
};

/** True if an operation lists, creates or changes entities of a kind. */
const isOf = (operation: Operation, kind: Kind): boolean =>
  operation.answer.is === 'page'
    ? operation.answer.item === kind.schemas.detail && !operation.path.includes('{')
    : kindAt(operation) === kind;

/** The kinds that a call involves besides the one that its right covers. */
interface RelatedKinds {
  /**
   * The kinds that its path names, the owners of its entities, those that it shows beside these, and those that its policies select or its
   * filters may query.
   */
  readonly limited: readonly Kind[];
  /** The kinds whose credentials its answer may show. */
  readonly shown: readonly Kind[];
  /** The kinds whose entities use such credentials. */
  readonly enrolled: readonly Kind[];
}

const relatedByOperation = new WeakMap<Operation, Record<string, RelatedKinds>>();

const relatedKindsOf = (operation: Operation, right: string): RelatedKinds => {
  const byRight = relatedByOperation.get(operation) ?? {};
  relatedByOperation.set(operation, byRight);
  return (byRight[right] ??= findRelatedKinds(operation, right));
};

const findRelatedKinds = (operation: Operation, right: string): RelatedKinds => {
  const own = allKinds.filter((kind) => isOnKind(right, kind));
  const owners = own.flatMap(ownersOf).map(({ target }) => target);
  const named = namedIn(operation).map(([, kind]) => kind);
  const answered = answeredKind(operation);
  const shownBeside = [...(operation.shows ?? []), ...(operation.belongsTo ?? [])].map(kindOf);
  const limited = [...named, ...owners, ...shownBeside, ...(answered ? [...selectedBy(answered), ...queriedBy(operation, answered)] : [])];
  const shown = answered ? [answered, ...shownIn(answered), ...(isOnKind(right, answered) ? owners : [])] : [];
  return {
    limited: unique(limited).filter((kind) => !isOnKind(right, kind)),
    shown: unique(shown).filter((kind) => credentialsOf(kind).length > 0),
    enrolled: answered && credentialsOf(answered).length > 0 ? owners : own,
  };
};

const unique = (kinds: readonly (Kind | undefined)[]): readonly Kind[] => [...new Set(kinds)].filter((kind) => kind !== undefined);

const selectedBy = ({ fields }: Kind) => Object.values(fields).flatMap(({ set }) => (set?.of === 'selectors' ? [kindOf(set.target)] : []));

const shownIn = ({ fields }: Kind) => Object.values(fields).flatMap(({ shows }) => (shows === undefined ? [] : [kindOf(shows)]));

/** The kinds that subqueries of the operation's filters may query. */
const queriedBy = ({ query }: Operation, kind: Kind) => {
  const symbols = query && 'filter' in query.shape ? symbolsFor(kind) : undefined;
  return (symbols?.names ?? []).flatMap((name) => {
    const symbol = symbols?.find(name);
    return symbol?.is === 'references' ? [kindOf(symbol.target().kind)] : [];
  });
};

/**
 * True if the answer is without the kinds that the caller may not read at all. Operations of the published API show them, as they do there.
 */
const hidesUnreadable = (operation: Operation): boolean =>
  operation.shows !== undefined && !operation.surfaces.includes(surfaces.management);

/** @param ask called once for each question, never in a transaction */
export const askAsides = async (
  operation: Operation,
  right: string,
  isDelegated: boolean,
  ask: AskAside,
): Promise<Pick<Grant, 'visible' | 'changeable' | 'credentials'>> => {
  const { limited, shown, enrolled } = relatedKindsOf(operation, right);
  const answers = new Map<string, Promise<readonly Verdict[]>>();
  const verdictsOn = (kind: Kind, action: Action, about: Aside['about']): Promise<readonly Verdict[]> | readonly Verdict[] => {
    const aside = asideOf(kind, action, about);
    if (!aside) return [];
    const key = `${about} ${aside.operation}`;
    const answer = answers.get(key) ?? ask(aside);
    answers.set(key, answer);
    return answer;
  };
  const visibleTo = async (kind: Kind, action: Action): Promise<Limit> => {
    const verdicts = await verdictsOn(kind, action, 'visibility');
    const isHidden = action === 'read' && hidesUnreadable(operation);
    return withinAll(verdicts.map((verdict) => limitBy(verdict === false && !isHidden ? undefined : verdict, EVERY_ENTITY)));
  };
  const shownTo = async (kind: Kind, action: Action): Promise<Limit> => {
    const verdicts = await verdictsOn(kind, action, 'credentials');
    return verdicts.length === 0 ? NO_ENTITY : withinAll(verdicts.map((verdict) => limitBy(verdict, NO_ENTITY)));
  };
  const limits = async (kinds: readonly Kind[], ...actions: readonly Action[]): Promise<Limits> => {
    const all = kinds.map(
      async (kind) => [kind.kind, withinAll(await Promise.all(actions.map((action) => visibleTo(kind, action))))] as const,
    );
    return new Map((await Promise.all(all)).filter(([, limit]) => limit !== EVERY_ENTITY));
  };
  /** The entities that the caller may update or create. */
  const credentialsOfKind = async (kind: Kind): Promise<readonly [string, Limit]> => {
    const updated = await shownTo(kind, 'update');
    return [kind.kind, updated === EVERY_ENTITY ? updated : withinAny([updated, await shownTo(kind, 'create')])];
  };
  const isWrite = !right.endsWith('.read');
  const credentialed = isDelegated ? shown : [];
  const [visible, changeable, credentials] = await Promise.all([
    limits(limited, 'read'),
    limits(isWrite ? limited : credentialed.length > 0 ? enrolled : [], 'read', 'update'),
    Promise.all(credentialed.map(credentialsOfKind)),
  ]);
  return { visible, changeable, credentials: new Map(credentials) };
};
