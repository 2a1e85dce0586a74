import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InferredRows } from '../../../scripts/types/declared.ts';
import { type KindName, kinds } from '../../../src/contract/api/index.ts';
import type { Resource } from '../../../src/contract/api/kit/resource.ts';
import type { Change, ChangedKind, ChangedRow, ManagementController } from '../../../src/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const prove = <_ extends true>(): void => {};

/** Never run: what the compiler knows of events. */
export const listening = ({ events }: Pick<ManagementController, 'events'>, change: Change): unknown => {
  events.on('identity', ({ action, entity, before, after }) => {
    prove<Same<typeof entity, 'identity'>>();
    prove<Same<typeof after, ChangedRow<'identity'> | null>>();
    if (action === 'create') {
      prove<Same<typeof before, null>>();
      after.name satisfies string;
    }
    if (action === 'update' && before.isAdmin !== after.isAdmin) after.roleAttributes satisfies readonly string[] | null;
    if (action === 'delete') {
      prove<Same<typeof after, null>>();
      before.externalId satisfies string | null;
    }
    // @ts-expect-error there may be no state after it
    after.name;
    // @ts-expect-error identities have no such field
    after?.username;
  });
  events.on('authenticator', ({ after }) => {
    after?.method satisfies 'updb' | 'cert' | undefined;
    // @ts-expect-error hashes are in no event
    after?.passwordHash;
  });
  events.once('postureCheck', ({ after }) => {
    if (after?.typeId === 'DOMAIN') after.domains satisfies readonly string[];
    // @ts-expect-error checks of other types have no domains
    after?.domains;
  });
  events.on('change', ({ entity, action, revision }) => [entity satisfies ChangedKind, action, revision]);
  // @ts-expect-error there is no such kind
  events.on('unicorn', () => {});
  // @ts-expect-error tasks of maintenance leave no change records
  events.on('maintenanceTask', () => {});
  if (change.entity === 'servicePolicy' && change.action !== 'delete') return change.after.semantic;
  if (change.entity === 'identity') return change.after?.name;
  // @ts-expect-error not every kind has a name
  return change.after?.name;
};

/** Never run: what is written down of rows is what the field tables say. */
export const rows = (): void => prove<Same<{ [K in ChangedKind]: ChangedRow<K> }, InferredRows>>();

/** The kinds without events, by the types. */
const silent: Readonly<Record<Exclude<KindName, ChangedKind>, true>> = {
  authRequest: true,
  builtInRow: true,
  change: true,
  cursor: true,
  endCount: true,
  failedServiceRequest: true,
  idempotencyKey: true,
  journalEntry: true,
  lease: true,
  maintenanceTask: true,
  sessionReview: true,
  tenant: true,
  usageSum: true,
};

test('every kind has events but the change record itself, and kinds that leave none', () => {
  const unrecorded = Object.values<Pick<Resource, 'kind' | 'unrecorded'>>(kinds).filter((kind) => kind.unrecorded);
  assert.deepEqual(Object.keys(silent).toSorted(), ['change', ...unrecorded.map(({ kind }) => kind)].toSorted());
});

test('what the compiler knows of events is proved by compiling this file', () => {
  assert.equal(typeof listening, 'function');
  assert.equal(typeof rows, 'function');
});
