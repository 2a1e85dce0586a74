import { symbolsFor } from '../../../src/call/resources/symbols.ts';
import { kinds } from '../../../src/contract/api/index.ts';
import { and, dateField, equals, oneOf, type Predicate, readFilter, stringField } from '../../../src/query/index.ts';
import { CachedTransaction } from '../../../src/store/read-cache/cached-transaction.ts';
import type { Query, Read, Row, Transaction } from '../../../src/store/storage/port.ts';
import { type Collection, collections, type Question, WORDS } from './questions.ts';

export const ID = stringField('id');
export const hasName = (name: string): Predicate => equals(stringField('name'), name);
export const ofIdentities = (ids: readonly string[]): Predicate => oneOf(stringField('identityId'), ids);
/** Since a quarter of an hour after tests begin. */
export const recentlyActive: Predicate = { op: 'compare', field: dateField('lastActivityAt'), is: '>', value: '2026-11-21T10:15:00.000Z' };

/** Fields whose changes are not recorded, so that a derivation must not see them. */
const VOLATILE = ['lastActivityAt', 'failedAttempts', 'lastAuthResolvedToRoot'];
const recordedOf = (row: Row) => Object.fromEntries(Object.entries(row).filter(([field]) => !VOLATILE.includes(field)));

/** Everything that a transaction may be asked, about one question. */
export const readings = async (
  tx: Transaction,
  question: Question,
  ids: Readonly<Record<Collection, readonly string[]>>,
): Promise<readonly unknown[]> => {
  const { collection, filter, order, of: at } = question;
  const { kind } = collections[collection];
  const { where, sort = [], skip, limit } = readFilter(filter + order, symbolsFor(kinds[kind]));
  const query: Query = { where, sort, offset: skip ?? 0, ...(typeof limit === 'number' ? { limit } : {}) };
  const [some, [one = '']] = [ids[collection], [ids[collection][at]]];
  const owner = await tx.get('service', ids.services[at] ?? '');
  const own = oneOf(ID, (owner?.configs ?? []) as readonly string[]); // a set
  const reads: readonly Read[] = [
    { read: 'list', kind, query },
    { read: 'list', kind, query: { where: oneOf(ID, some.toReversed()) } },
    { read: 'list', kind, query: { where: oneOf(ID, some), limit: 1 } },
    { read: 'list', kind, query: { where: and(equals(ID, one), where), limit: 1 } },
    { read: 'referenced', kind, field: 'id', values: some.slice(at), where },
    { read: 'referenced', kind, field: 'id', values: [...some, 'other'], where },
    { read: 'referenced', kind: 'authenticator', field: 'identityId', values: ids.identities },
    {
      read: 'referenced',
      kind: 'authenticator',
      field: 'identityId',
      values: ids.identities,
      where: equals(stringField('method'), 'cert'),
    },
    { read: 'referenced', kind: 'apiSession', field: 'identityId', values: ids.identities, where: recentlyActive },
  ];
  const below = async (reader: Transaction, owners: readonly string[]) => {
    const query = { where: ofIdentities(owners) };
    const each = await Promise.all(['authenticator', 'enrollment', 'apiSession'].map((held) => reader.list(held, query)));
    return each.flat();
  };
  /** Text forms of rows, by what is read for them besides. */
  const forms: Readonly<Record<string, (reader: Transaction, owners: readonly string[]) => Promise<readonly (Row | string)[]>>> = {
    below,
    [`one ${at}`]: async (reader) => [(await reader.get('service', ids.services[at] ?? '')) ?? 'none'],
    ofRoles: (reader) => reader.list('service', { where: oneOf(ID, ids.services) }),
    [`${kind} ${filter}`]: (reader) => reader.list(kind, { where }),
    // Identities name authentication policies: a text may tell only of the one that its own row names.
    [`through ${kind} ${filter}`]: async (reader) =>
      (await reader.referenced(kind, 'id', kind === 'authPolicy' ? [] : some, where)).toSorted(), // in no order
    active: (reader, owners) => reader.list('apiSession', { where: and(ofIdentities(owners), recentlyActive) }),
  };
  const derived = async (form: string, source: Query | readonly Row[]) => {
    const derive = async (reader: Transaction, rows: readonly Row[]) => {
      const found =
        (await forms[form]?.(
          reader,
          rows.map(({ id }) => id),
        )) ?? [];
      return rows.map((row) => {
        const own = found.filter((each) =>
          typeof each === 'string' ? !ids.identities.includes(each) || each === row.id : (each.identityId ?? row.id) === row.id,
        );
        return JSON.stringify(
          [row, own].flat().map((each) => (typeof each === 'string' || tx instanceof CachedTransaction ? each : recordedOf(each))),
        );
      });
    };
    if (tx instanceof CachedTransaction)
      return (await tx.remember('identity', source, { form, fields: [], derive })).map(({ value }) => value);
    return derive(tx, Array.isArray(source) ? source : await tx.list('identity', source as Query));
  };
  const both: Query = { where: oneOf(ID, ids.identities) };
  const values: unknown[] = [
    await tx.list(kind, query),
    await tx.count(kind, where),
    await tx.count(kind, and(equals(ID, one), where)),
    await tx.distinct('service', 'roleAttributes'),
    ...(await tx.readAll(reads)).map((answer, i) => (reads[i]?.read === 'referenced' ? (answer as readonly string[]).toSorted() : answer)), // values in no order
    await tx.get(kind, one),
    await (tx instanceof CachedTransaction && owner ? tx.listFor('config', 'own', owner, () => own) : tx.list('config', { where: own })),
  ];
  for (const each of WORDS) {
    const byName = await tx.list(kind, { where: hasName(each + at), limit: 1 });
    values.push(tx instanceof CachedTransaction ? await tx.getBy(kind, 'name', each + at) : byName[0]);
  }
  for (const form of Object.keys(forms)) values.push(await derived(form, both), await derived(form, await tx.list('identity', both)));
  return values;
};
