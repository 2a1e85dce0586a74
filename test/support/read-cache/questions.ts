/** Generates the questions that the tests of the read cache ask, and what happens between them. */
import fc from 'fast-check';
import { type App, PASSWORD } from '../app.ts';

/** Words that names, tags and role attributes are made of, so that questions and rows often meet. */
export const WORDS = ['a', 'b'] as const;
export const LATER = '2100-01-01T00:00:00.000Z';

const word = fc.constantFrom(...WORDS);
const of = fc.nat({ max: WORDS.length - 1 });

/** Conditions on what all kinds have, as a subquery may ask it. */
const plain = fc.oneof(
  word.map((each) => `name contains "${each}"`),
  word.map((each) => `tags.tag = "${each}"`),
  fc.constantFrom('tags.tag = null', 'createdAt > datetime(2000-01-01T00:00:00Z)'),
);
const orders = fc.constantFrom('', ' sort by name', ' sort by createdAt desc, name', ' sort by name skip 1', ' limit 1', ' limit none');
/** A set, or those of its members that satisfy a condition. */
const ofSet = (set: string) =>
  fc.oneof(
    fc.constant(set),
    plain.map((where) => `from ${set} where ${where}`),
  );
const aboutSet = (set: string) =>
  fc.oneof(
    ofSet(set).map((each) => `isEmpty(${each})`),
    fc.tuple(ofSet(set), fc.constantFrom('=', '>=', '<'), fc.nat({ max: 2 })).map(([each, is, n]) => `count(${each}) ${is} ${n}`),
  );
const attributes = word.map((each) => `anyOf(roleAttributes) = "${each}"`);
const condition = (...leaves: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.letrec<{ where: string }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 2 },
      { weight: 6, arbitrary: fc.oneof(...leaves) },
      { weight: 1, arbitrary: tie('where').map((term) => `not (${term})`) },
      {
        weight: 1,
        arbitrary: fc.tuple(tie('where'), fc.constantFrom('and', 'or'), tie('where')).map(([a, join, b]) => `(${a} ${join} ${b})`),
      },
    ),
  })).where;

const name = word.map((each) => ({ name: each }));
const tag = word.map((each) => ({ tags: { tag: each } }));
const roleAttributes = fc.subarray([...WORDS]).map((each) => ({ roleAttributes: each }));
const roles = fc.subarray([...WORDS.map((each) => `#${each}`), '@0'], { minLength: 1 });
/** The condition under which the host shows services. */
export const limitByConfigs = condition(aboutSet('configs'));

/** Changes and questions by collection. Numbers are places in a collection. */
export const collections = {
  configs: { kind: 'config', changes: fc.oneof(name, tag), filter: condition(plain) },
  services: {
    kind: 'service',
    changes: fc.oneof(
      name,
      tag,
      roleAttributes,
      fc.subarray([0, 1]).map((each) => ({ configs: each })),
    ),
    filter: condition(plain, attributes, aboutSet('configs'), aboutSet('configs')),
  },
  'auth-policies': { kind: 'authPolicy', changes: fc.oneof(name, tag), filter: condition(plain) },
  identities: {
    kind: 'identity',
    changes: fc.oneof(
      name,
      tag,
      roleAttributes,
      of.map((each) => ({ authPolicyId: each })),
      fc.boolean().map((isAdmin) => ({ isAdmin })),
    ),
    filter: condition(plain, attributes),
  },
  'service-policies': {
    kind: 'servicePolicy',
    changes: fc.oneof(
      name,
      roles.map((serviceRoles) => ({ serviceRoles })),
      roles.map((identityRoles) => ({ identityRoles })),
    ),
    filter: condition(plain, aboutSet('services'), aboutSet('identities'), fc.constant('semantic = "AnyOf"')),
  },
} as const;
export type Collection = keyof typeof collections;
type Fields = Readonly<Record<string, unknown>>;
const COLLECTIONS = Object.keys(collections) as readonly Collection[]; // its keys

/** Lists below an entity. */
const BELOW: Readonly<Partial<Record<Collection, readonly Collection[]>>> = {
  services: ['identities', 'service-policies', 'configs'],
  'service-policies': ['services'],
  configs: ['services'],
  identities: ['service-policies', 'services'],
};
export const question = fc.oneof(
  ...COLLECTIONS.flatMap((collection) =>
    [undefined, ...(BELOW[collection] ?? [])].map((parent) =>
      fc.record({
        collection: fc.constant(collection),
        parent: fc.constant(parent),
        of,
        filter: collections[collection].filter,
        order: orders,
      }),
    ),
  ),
);
export type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

/** Events in the life of a user. */
export const events = {
  enroll: (app: App, id: string) => app.request('POST', '/enrollments', { body: { method: 'ott', identityId: id, expiresAt: LATER } }),
  password: (app: App, id: string) => {
    const body = { method: 'updb', identityId: id, username: id, password: PASSWORD };
    return app.request('POST', '/authenticators', { body });
  },
  noPassword: (app: App, id: string) => removeAll(app, '/authenticators', id),
  login: (app: App, id: string) => app.login(id, PASSWORD),
  logout: (app: App, id: string) => removeAll(app, '/api-sessions', id),
  off: (app: App, id: string) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 0 } }),
  offForAWhile: (app: App, id: string) => app.request('POST', `/identities/${id}/disable`, { body: { durationMinutes: 10 } }),
  on: (app: App, id: string) => app.request('POST', `/identities/${id}/enable`),
} as const;
type Event = keyof typeof events;
const EVENTS = Object.keys(events) as readonly Event[]; // its keys
const removeAll = async (app: App, path: string, identityId: string): Promise<void> => {
  const filter = encodeURIComponent(`identity = "${identityId}"`);
  for (const { id } of (await app.request('GET', `${path}?filter=${filter}`)).body.data) await app.request('DELETE', `${path}/${id}`);
};

export interface Change {
  readonly collection: Collection;
  readonly fields: Fields;
}
export interface Step {
  readonly by: number;
  readonly of: number;
  readonly does: Change | Event | 'wait';
}
/** Configs more often than others: nothing but subqueries depends on them. */
const changes = ([...COLLECTIONS, 'configs'] as const).map((collection) =>
  fc.record({ collection: fc.constant(collection), fields: collections[collection].changes as fc.Arbitrary<Fields> }),
);
const does: fc.Arbitrary<Step['does']> = fc.oneof(...changes, fc.constantFrom(...EVENTS, 'wait' as const));
export const step: fc.Arbitrary<Step> = fc.record({ by: of, of, does });
