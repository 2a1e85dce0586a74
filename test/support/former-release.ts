import type { Row, StorageAdapter, Store, Transaction } from '../../src/store/storage/port.ts';

/** Fields by table. */
type FieldsByTable = Readonly<Record<string, readonly string[]>>;

/** Fields that follow from others or have a default, and that releases before this one did not know. */
export const ADDED_FIELDS: FieldsByTable = {
  identity: ['externalIdKeys', 'grantsEndAt', 'unannouncedEndAt', 'scopedPermissionNames'],
  servicePolicy: ['typeNumber', 'grantsEndAt', 'unannouncedEndAt'],
  configType: ['target'],
};

/**
 * A store as a controller of a release that does not know some fields uses it: it writes rows without these, and leaves those that rows
 * already have as they are.
 */
export const asFormerRelease = (inner: StorageAdapter, unknown: FieldsByTable = ADDED_FIELDS): StorageAdapter => {
  const isUnknown = (kind: string, name: string): boolean => unknown[kind]?.includes(name) === true;
  const without = (kind: string, row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !isUnknown(kind, name)));
  const writing = (tx: Transaction): Transaction => {
    const written = async (kind: string, row: Row): Promise<Row> => {
      // The record of a new row: of one that exists, it has what the row has.
      if (kind === 'change' && row.action === 'create') return { ...row, after: without(String(row.entity), Object(row.after)) };
      if (!unknown[kind]) return row;
      const kept = Object.entries((await tx.get(kind, row.id)) ?? {}).filter(([name]) => isUnknown(kind, name));
      return { ...without(kind, row), ...Object.fromEntries(kept) } as Row; // the fields of a row, but for some
    };
    return new Proxy(tx, {
      get: (target, name) => {
        if (name === 'insert') return async (kind: string, row: Row) => target.insert(kind, await written(kind, row));
        if (name === 'update')
          return async (kind: string, row: Row, expected: number) => target.update(kind, await written(kind, row), expected);
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  };
  return withStore(inner, (store) => ({
    ...throughStore(store),
    transaction: (mode, work, options) => store.transaction(mode, (tx) => work(writing(tx)), options),
    join: (host) => writing(store.join(host)),
  }));
};

/** A store whose database a newer release has migrated. */
export const besideNewerRelease = (inner: StorageAdapter): StorageAdapter =>
  withStore(inner, (store) => ({ ...throughStore(store), check: async () => ({ pending: [], isAhead: true }) }));

const withStore = (inner: StorageAdapter, wrap: (store: Store) => Store): StorageAdapter => ({
  ...inner,
  open: async (schema) => wrap(await inner.open(schema)),
});

const throughStore = (store: Store): Store => ({
  transaction: (mode, work, options) => store.transaction(mode, work, options),
  join: (host) => store.join(host),
  check: async () => store.check?.(),
  close: () => store.close(),
});
