/**
 * What random callers may do to random entities is what the definition says, evaluated here without the code of the project: for each right
 * and each entity what the host's rule says, or the permissions of the identity, and in addition those of the API token.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEveryStore } from '../support/app.ts';
import {
  type Caller,
  ENTITY,
  type Kind,
  openWorld,
  type Rights,
  type Rule,
  type Scope,
  type Step,
  scenarios,
  type Where,
  type World,
} from '../support/decisions.ts';
import { numRuns } from '../support/stores.ts';

/** What the definition depends on. */
interface Entity {
  readonly id: string;
  readonly name: string;
  readonly roleAttributes: readonly string[];
  readonly tags: Readonly<Record<string, unknown>>;
  readonly isAdmin: boolean;
  readonly isDefaultAdmin: boolean;
  readonly permissions: readonly string[];
  readonly scopedPermissions: object | null;
  /** Of an enrollment. */
  readonly identityId: string | null;
}
type Entities = Readonly<Record<Kind, ReadonlyMap<string, Entity>>>;

const TABLES = {
  identities: 'identity',
  services: 'service',
  'edge-routers': 'router',
  'posture-checks': 'postureCheck',
  enrollments: 'enrollment',
  'service-policies': 'servicePolicy',
} as const;

/** Enrollments are made and deleted with their identities and routers. */
const WRITTEN = (Object.keys(TABLES) as Kind[]).filter((kind) => kind !== 'enrollments');

const entitiesOf = async ({ app }: World): Promise<Entities> => {
  const all: Partial<Record<Kind, ReadonlyMap<string, Entity>>> = {};
  for (const [kind, table] of Object.entries(TABLES)) {
    const rows = (await app.rows(table)) as unknown as readonly Entity[];
    all[kind as Kind] = new Map(
      rows.map((row) => [row.id, { ...row, roleAttributes: row.roleAttributes ?? [], permissions: row.permissions ?? [] }]),
    );
  }
  return all as Entities;
};

const satisfies = (entity: string, where: Where, row: Entity): boolean => {
  if ('not' in where) return !satisfies(entity, where.not, row);
  if ('either' in where) return where.either.some((each) => satisfies(entity, each, row));
  if ('team' in where) return row.tags['team'] === where.team;
  const isWithoutAttributes = entity === 'enrollment' || entity === 'service-policy';
  if ('attribute' in where) return isWithoutAttributes || row.roleAttributes.includes(where.attribute);
  return entity === 'enrollment' ? row.identityId !== null : where.names.some((n) => row.name === `${entity} ${n}`);
};

/** What a caller may do by a right. */
interface Allowed {
  /** The entities to which it applies. */
  includes(row: Entity): boolean;
  assigns(attribute: string): boolean;
}

const EVERYTHING: Allowed = { includes: () => true, assigns: () => true };

const byPermission = ({ permissions, scopedPermissions }: Rights, right: string): Allowed | undefined => {
  const [entity = '', action] = right.split('.');
  const names = [entity, right];
  if (names.some((name) => permissions.includes(name)) || (action === 'read' && permissions.includes('admin_readonly'))) return EVERYTHING;
  const scopes: readonly Scope[] = names.flatMap((name) => scopedPermissions[name] ?? []);
  if (scopes.length === 0) return undefined;
  const within = scopes.flatMap(({ roleAttributes }) => roleAttributes);
  const assignable = [...within, ...scopes.flatMap(({ assignableRoleAttributes = [] }) => assignableRoleAttributes)];
  return {
    includes: ({ roleAttributes }) => roleAttributes.some((attribute) => within.includes(attribute)),
    assigns: (attribute) => assignable.includes(attribute),
  };
};

const byRule = (rule: Rule | null, right: string): Allowed | false | undefined => {
  const said = rule?.[right] ?? undefined;
  if (said === undefined || said === false) return said;
  if (said === true) return EVERYTHING;
  const { where, attributes } = said;
  return {
    includes: (row) => satisfies(right.split('.')[0] ?? '', where, row),
    assigns: (attribute) => attributes?.includes(attribute) ?? true,
  };
};

/** An administrator by all means: in a session, or with an API token that has all rights of one. */
const isChief = ({ rights, token }: Caller): boolean => rights.isAdmin && (token === null || token.isAdmin);

/** @returns undefined if the caller may not do it to any entity */
const allowedTo = (caller: Caller, right: string): Allowed | undefined => {
  const { rights, token, rule } = caller;
  const bound = token && !token.isAdmin ? byPermission(token, right) : EVERYTHING;
  const said = byRule(rule, right);
  const own = said ?? (rights.isAdmin ? EVERYTHING : byPermission(rights, right));
  if (!bound || !own) return undefined;
  return {
    includes: (row) => own.includes(row) && bound.includes(row),
    assigns: (attribute) => own.assigns(attribute) && bound.assigns(attribute),
  };
};

/**
 * No right that was given reaches an administrator or who has more rights: in this network, anybody with a right that no caller holds for
 * all entities.
 */
const isProtected = (caller: Caller, right: string, row: Entity): boolean => {
  if (isChief(caller)) return false;
  if (row.isAdmin || row.isDefaultAdmin) return true;
  const names = [...row.permissions, ...Object.keys(row.scopedPermissions ?? {})];
  if (names.length === 0) return false;
  const isByRule = byRule(caller.rule, right) !== undefined;
  const includes = (held: readonly string[], name: string) =>
    [name, name.split('.')[0] ?? '', ...(name.endsWith('.read') ? ['admin_readonly'] : [])].some((each) => held.includes(each));
  const holds = (name: string) =>
    !isByRule &&
    (caller.rights.isAdmin || includes(caller.rights.permissions, name)) &&
    (caller.token === null || caller.token.isAdmin || includes(caller.token.permissions, name));
  return !names.every(holds);
};

const differing = (before: readonly string[], after: readonly string[]) =>
  [...before, ...after].filter((each) => before.includes(each) !== after.includes(each));

/** True if a caller may turn one state of an entity into another. */
const mayWrite = (caller: Caller, kind: Kind, before: Entity | undefined, after: Entity | undefined): boolean => {
  const right = `${ENTITY[kind]}.${before ? (after ? 'update' : 'delete') : 'create'}`;
  const allowed = allowedTo(caller, right);
  if (!allowed) return false;
  const states = [before, after].flatMap((row) => row ?? []);
  if (!states.every((row) => allowed.includes(row))) return false;
  if (kind === 'identities' && states.some((row) => isProtected(caller, right, row))) return false;
  return !after || differing(before?.roleAttributes ?? [], after.roleAttributes).every((attribute) => allowed.assigns(attribute));
};

type Outcome = 'done' | 'refused' | 'not found';

const outcomeOf = (status: number): Outcome => (status === 404 ? 'not found' : status === 401 || status === 403 ? 'refused' : 'done');

/** What comes of a step by definition, and the entities after it; undefined if the definition here does not say. */
const expected = (
  caller: Caller,
  step: Step,
  ids: World['ids'],
  entities: Entities,
): { readonly outcome: Outcome; readonly after: Entities } | undefined => {
  if (step.does === 'batch') {
    let state = entities;
    for (const each of step.steps) {
      // A read cannot be part of a batch: `send` patches nothing of a service instead.
      const isRead = each.does === 'list' || each.does === 'get';
      const part = expected(caller, isRead ? { does: 'patch', kind: 'services', at: 0, body: {} } : each, ids, state);
      if (part?.outcome !== 'done') return part && { ...part, after: entities };
      state = part.after;
    }
    return { outcome: 'done', after: step.isPreview ? entities : state };
  }
  if (step.does === 'other' || step.does === 'related' || step.does === 'upsert' || step.kind === 'enrollments') return undefined;
  const { kind } = step;
  const after = (id: string, row: Entity | undefined): Entities => {
    const rows = new Map(entities[kind]);
    if (row) rows.set(id, row);
    else rows.delete(id);
    return { ...entities, [kind]: rows };
  };
  const refuse = (outcome: Outcome) => ({ outcome, after: entities });
  const action = { list: 'read', get: 'read', delete: 'delete', patch: 'update', create: 'create', attributes: 'update' } as const;
  const allowed = allowedTo(caller, `${ENTITY[kind]}.${action[step.does]}`);
  if (!allowed) return refuse('refused');
  if (step.does === 'list') return refuse('done');
  if (step.does === 'create') {
    const { roleAttributes = [], tags = {} } = step.body as Partial<Entity>;
    const row = { ...NOBODY, roleAttributes, tags, name: 'new' };
    return mayWrite(caller, kind, undefined, row)
      ? { outcome: 'done', after: after(`new ${entities[kind].size}`, row) }
      : refuse('refused');
  }
  const id = ids[kind][step.at] ?? '';
  const body: Partial<Entity> = 'body' in step ? step.body : {};
  if ('roleAttributeGrants' in body) return undefined;
  const isPrivileging = 'isAdmin' in body || 'permissions' in body;
  // Permissions never allow to set these, wherever.
  if (isPrivileging && !isChief(caller) && byRule(caller.rule, 'identity.update') === undefined) return refuse('refused');
  const before = entities[kind].get(id);
  if (!before || !allowed.includes(before)) return refuse('not found');
  if (step.does === 'get') return refuse('done');
  const changed =
    step.does === 'attributes' ? { roleAttributes: [...new Set([...before.roleAttributes, ...(body.roleAttributes ?? [])])] } : body;
  const row = step.does === 'delete' ? undefined : { ...before, ...changed };
  if (isPrivileging && !isChief(caller)) return refuse('refused');
  return mayWrite(caller, kind, before, row) ? { outcome: 'done', after: after(id, row) } : refuse('refused');
};

const NOBODY = { id: '', isAdmin: false, isDefaultAdmin: false, permissions: [], scopedPermissions: null, identityId: null };

/** The kind that a related list holds. */
const LISTED: Readonly<Record<string, Kind>> = {
  services: 'services',
  identities: 'identities',
  'edge-routers': 'edge-routers',
  'posture-checks': 'posture-checks',
  enrollments: 'enrollments',
  'service-policies': 'service-policies',
};

const isSame = (one: Entity | undefined, other: Entity | undefined) => JSON.stringify(relevant(one)) === JSON.stringify(relevant(other));
const relevant = (row: Entity | undefined) => row && [[...row.roleAttributes].sort(), row.tags, row.isAdmin, row.permissions];
const sizes = (entities: Entities) => Object.values(entities).map((rows) => rows.size);

onEveryStore('decisions by definition', (_, store) => {
  test('a random caller does and sees what its rights, its token and the rule of the host allow, and nothing else', async () => {
    const outcomes = new Map<string, number>();
    const property = fc.asyncProperty(scenarios, async ({ callers, steps }) => {
      const world = await openWorld(store);
      await using _app = world.app;
      for (const caller of callers) {
        const as = await world.enter(caller);
        let before = await entitiesOf(world);
        for (const step of steps) {
          const wanted = expected(caller, step, world.ids, before);
          const answer = await world.send(step, as);
          const after = await entitiesOf(world);
          const why = `${JSON.stringify(step)} by ${JSON.stringify(caller)}: ${answer.status} ${answer.text}`;
          const outcome = outcomeOf(answer.status);
          outcomes.set(`${step.does} ${outcome}`, (outcomes.get(`${step.does} ${outcome}`) ?? 0) + 1);
          if (wanted) {
            assert.equal(outcome, wanted.outcome, why);
            assert.deepEqual(sizes(after).slice(0, 4), sizes(wanted.after).slice(0, 4), why);
            for (const kind of WRITTEN)
              for (const [id, row] of wanted.after[kind])
                if (before[kind].has(id)) assert.deepEqual(relevant(after[kind].get(id)), relevant(row), why);
          }
          for (const kind of WRITTEN) {
            for (const id of new Set([...before[kind].keys(), ...after[kind].keys()])) {
              const [was, is] = [before[kind].get(id), after[kind].get(id)];
              if (!isSame(was, is)) assert.ok(mayWrite(caller, kind, was, is), `${kind} ${id}: ${why}`);
            }
          }
          const listed = step.does === 'list' || step.does === 'get' ? step.kind : step.does === 'related' ? LISTED[step.list] : undefined;
          if (listed && answer.status === 200) assertShown(caller, listed, step.does === 'list', after, [answer.body.data].flat(), why);
          before = after;
        }
      }
    });
    const { RUNS } = process.env;
    await fc.assert(property, RUNS === undefined ? numRuns(store, store === 'memory' ? 30 : 6) : { numRuns: Number(RUNS) });
    if (store === 'memory')
      for (const does of ['list', 'get', 'patch', 'create', 'batch', 'attributes'])
        for (const outcome of ['done', 'refused']) assert.ok(outcomes.has(`${does} ${outcome}`), `${does} was never ${outcome}`);
  });
});

const assertShown = (
  caller: Caller,
  kind: Kind,
  isWhole: boolean,
  entities: Entities,
  shown: readonly { readonly id: string; readonly token?: string }[],
  why: string,
): void => {
  const right = `${ENTITY[kind]}.read`;
  const allowed = allowedTo(caller, right);
  assert.ok(allowed, why);
  if (kind !== 'enrollments') {
    const visible = [...entities[kind].values()].filter((row) => allowed.includes(row)).map(({ id }) => id);
    const ids = shown.map(({ id }) => id);
    if (isWhole) assert.deepEqual(ids.toSorted(), visible.toSorted(), why);
    else
      assert.ok(
        ids.every((id) => visible.includes(id)),
        why,
      );
    return;
  }
  for (const { id, token } of shown) {
    const row = entities.enrollments.get(id);
    const owner = row?.identityId ? entities.identities.get(row.identityId) : undefined;
    if (!owner) continue; // of a router
    const isByRule = byRule(caller.rule, right) !== undefined;
    // Their role attributes are those of the identities to which they belong.
    if (!isByRule) assert.ok(allowed.includes(owner), why);
    if (!isByRule && !isChief(caller)) assert.ok(!isProtected(caller, right, owner), why);
    if (token && !isChief(caller))
      assert.ok(
        ['create', 'update'].some((action) => maySee(caller, `enrollment.${action}`)),
        why,
      );
    if (token && !isChief(caller)) assert.ok(!owner.isAdmin, why);
  }
};

/** True if a caller may see credentials by a right, of some entity. */
const maySee = ({ rights, token, rule }: Caller, right: string): boolean => {
  const said = rule?.[`credentials ${right}`] ?? undefined;
  const own = said === undefined ? rights.isAdmin || byPermission(rights, right) !== undefined : said !== false;
  return own && (token === null || token.isAdmin || byPermission(token, right) !== undefined);
};
