import { identity } from '../../../api/identities.ts';
import { withDerived } from '../../../api/kit/index.ts';
import { and, not, type Predicate, stringField } from '../../../query/index.ts';
import type { Store } from '../../../storage/port.ts';

const PAGE_SIZE = 500;

/** Selects identities that an earlier release stored without keys. */
const UNKEYED: Predicate = and(not({ op: 'isNull', field: stringField('externalId') }), {
  op: 'size',
  set: 'externalIdKeys',
  is: '=',
  value: 0,
});

/** Adds the keys for case-insensitive lookups of external ids to identities that an earlier release stored. Runs before any call. */
export const keepExternalIdKeys = async (store: Store): Promise<void> => {
  const query = { where: UNKEYED, limit: PAGE_SIZE };
  const hasUnkeyed = () => store.transaction('read', async (tx) => (await tx.list(identity.kind, query)).length > 0);
  while (await hasUnkeyed())
    await store.transaction('write', async (tx) => {
      // This does not count as a change of the identity: it keeps its version, and no change is recorded.
      for (const row of await tx.list(identity.kind, query)) await tx.update(identity.kind, withDerived(identity.fields, row), row.version);
    });
};
