/**
 * Snapshots of a network with one of everything, with something in them changed at random. More of them, after changes to field tables or
 * to what opening a network needs:
 *
 *     SNAPSHOT_RUNS=10000 npx node --test test/scenarios/mutated-snapshots.test.ts
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { parametersOf } from '../../src/contract/api/kit/path-template.ts';
import { entries } from '../../src/controller/entries.ts';
import { ApiError, restoreSnapshot, SnapshotRefused } from '../../src/index.ts';
import { type App, openApp, PASSWORD, SECRET_KEY } from '../support/app.ts';
import { makeOneOfEverything } from '../support/one-of-everything.ts';
import { contentOf, type SnapshotRow, sealed, snapshotOf, snapshotWith, withShortLog } from '../support/snapshots.ts';
import { newStorage } from '../support/stores.ts';
import { until } from '../support/until.ts';

const RUNS = Number(process.env.SNAPSHOT_RUNS ?? 60);

/** Values that are of the wrong type, at the edge of what is allowed, or that mean something elsewhere. */
const values: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, -1, 1.5, 2 ** 31, 2 ** 52, 2 ** 53 - 1, -(2 ** 53) + 1, 1e308],
  ...[
    '',
    ' ',
    'yes',
    'x',
    'x'.repeat(300),
    'x'.repeat(5000),
    '\u202e',
    '(((',
    '%',
    'constructor',
    '__proto__',
    '#all',
    '#x',
    '@x',
    'default',
  ],
  ...['2026-11-21', '0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '2026-02-30T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  ...[
    'https://[',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'v1.00000000.AAAA',
    '$argon2id$v=19$m=1,t=1,p=1$AAAA$AAAA',
  ],
  ...[[], {}, [''], ['x', 'x'], [null], [[]], { a: 1 }, { constructor: 1 }],
];

type Path = readonly (string | number)[];

/** All places in a document, itself included. */
const placesIn = (value: unknown, path: Path = []): readonly Path[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, Array.isArray(value) ? Number(key) : key]))];

const at = (value: unknown, path: Path): unknown => path.reduce<unknown>((of, key) => Object(of)[key], value);

/** Puts a value in the place of what is there; undefined takes it away. */
const put = (document: SnapshotRow, path: Path, value: unknown): void => {
  const [key, holder] = [path.at(-1), at(document, path.slice(0, -1))];
  if (key === undefined || typeof holder !== 'object' || holder === null) return;
  if (value !== undefined) Reflect.set(holder, key, value);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
};

describe('mutated snapshots', () => {
  let good = '';
  before(async () => {
    await using app = await openApp('memory');
    await makeOneOfEverything(app);
    good = snapshotWith(withShortLog(contentOf(await snapshotOf(app))));
  });

  const which = fc.nat(1_000_000);
  const some = <T>(of: readonly T[], n: number): T | undefined => of[n % of.length];

  /** A field of a row, or a part of it, has another value: a strange one, or one that stands elsewhere. */
  const changedField = fc.tuple(which, which, which, fc.boolean(), which).map(([line, place, value, isOwn, from]) => () => {
    const content = contentOf(good);
    const row = some(content.rows, line);
    const other = some(content.rows, from);
    assert.ok(row && other);
    const path = some(placesIn(row).slice(1), place) ?? [];
    put(row, path, isOwn ? structuredClone(at(other, some(placesIn(other), value) ?? [])) : some(values, value));
    return { snapshot: snapshotWith(content), row };
  });

  /** A line is gone, there twice, elsewhere, or of another kind. */
  const changedLine = fc
    .tuple(fc.constantFrom('gone', 'twice', 'elsewhere', 'other kind'), which, which)
    .map(([how, line, other]) => () => {
      const content = contentOf(good);
      const row = some(content.rows, line);
      assert.ok(row);
      const index = content.rows.indexOf(row);
      if (how === 'gone' || how === 'elsewhere') content.rows.splice(index, 1);
      if (how === 'twice' || how === 'elsewhere') content.rows.splice(other % content.rows.length, 0, row);
      if (how === 'other kind') row.kind = some(content.rows, other)?.kind ?? '';
      return { snapshot: snapshotWith(content), row };
    });

  /** Bytes are others, in a snapshot whose checksum is right or is not. */
  const changedBytes = fc
    .tuple(
      fc.array(fc.tuple(which, fc.constantFrom(...'"{}[],:\\0e-\n\u0000x'), fc.boolean()), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([changes, isSealed]) => () => {
      const body = good.split('\n').slice(0, -2).join('\n');
      const text = changes.reduce((before, [place, character, isInserted]) => {
        const n = place % before.length;
        return before.slice(0, n) + character + before.slice(isInserted ? n : n + 1);
      }, body);
      const end = good.split('\n').at(-2);
      return { snapshot: isSealed ? sealed(text.split('\n')) : `${text}\n${end}\n`, row: undefined };
    });

  test('each is refused by its line, or makes a network that opens, is sound, and serves', async () => {
    const mutation = fc.oneof(
      { weight: 6, arbitrary: changedField },
      { weight: 2, arbitrary: changedLine },
      { weight: 1, arbitrary: changedBytes },
    );
    await fc.assert(
      fc.asyncProperty(mutation, async (mutate) => {
        const { snapshot, row } = mutate();
        const storage = newStorage('memory');
        try {
          await restoreSnapshot({ storage, snapshot: [snapshot], secretKey: SECRET_KEY });
        } catch (error) {
          assert.ok(error instanceof SnapshotRefused, `${error instanceof Error ? error.stack : error}`);
          assert.match(error.message, /^the snapshot is refused, line \d+: ./);
          return;
        }
        await using app = await openApp('memory', { storage });
        await assertSound(app);
        await assertServes(app, row);
      }),
      { numRuns: RUNS },
    );
  });
});

const assertSound = async ({ controller, clock }: App): Promise<void> => {
  clock.advance('2m'); // a run before the snapshot may seem to go on
  await controller.api.database.checkIntegrity();
  await until(async () => !(await controller.api.database.getIntegrityResults()).inProgress);
  const { results, error } = await controller.api.database.getIntegrityResults();
  assert.deepEqual([results, error], [[], null]);
};

/** Everything can be read, what was changed can be written and deleted, and clients are answered. */
const assertServes = async (app: App, changed: SnapshotRow | undefined): Promise<void> => {
  const id = String(changed?.row.id ?? '');
  for (const { group, verb, operation } of entries) {
    const isAboutOne = operation.path.includes('{id}');
    const isDone = operation.method === 'GET' || (isAboutOne && ['patch', 'delete'].includes(verb));
    if (!isDone || operation.answer.is === 'events') continue;
    const call: unknown = Reflect.get(Reflect.get(app.controller.api, group) ?? {}, verb);
    if (typeof call !== 'function') continue;
    const body = operation.method === 'PATCH' ? { body: { tags: {}, typeId: changed?.row.typeId } } : {};
    await Reflect.apply(call, undefined, [
      { ...Object.fromEntries(parametersOf(operation.path).map((name) => [name, id])), ...body },
    ]).catch((error: unknown) => {
      assert.ok(error instanceof ApiError && error.status < 500, `${group}.${verb}: ${error instanceof Error ? error.stack : error}`);
    });
  }
  const usernames = new Set(['admin', 'user-1', 'user-2', String(changed?.row.username ?? '')]);
  for (const username of usernames) {
    const login = await app.login(username, PASSWORD);
    const as = login.body.data?.token ?? null;
    const paths = ['services', 'sessions', 'current-identity', 'current-identity/edge-routers', 'external-jwt-signers', 'version'];
    const answers = [login, ...(await Promise.all(paths.map((path) => app.request('GET', `/edge/client/v1/${path}`, { as }))))];
    assert.deepEqual(
      answers.filter(({ status }) => status >= 500).map(({ text }) => text),
      [],
    );
  }
};
