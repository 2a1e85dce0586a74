import { identity } from '../../../api/identities.ts';
import { withDerived } from '../../../api/kit/index.ts';
import { and, not, type Predicate, stringField } from '../../../query/index.ts';
import type { Store } from '../../../storage/port.ts';

const PAGE = 500;

/** Identities of an earlier release, which knew no keys. */
const UNKEYED: Predicate = and(not({ op: 'isNull', field: stringField('externalId') }), {
  op: 'size',
  set: 'externalIdKeys',
  is: '=',
  value: 0,
});

/** Gives identities that an earlier release wrote the keys by which their external ids are found without case. Called before any call is. */
export const keepExternalIdKeys = async (store: Store): Promise<void> => {
  const query = { where: UNKEYED, limit: PAGE };
  const due = () => store.transaction('read', async (tx) => (await tx.list(identity.kind, query)).length > 0);
  while (await due())
    await store.transaction('write', async (tx) => {
      // No change of the identity: it keeps its version, and no record is made.
      for (const row of await tx.list(identity.kind, query)) await tx.update(identity.kind, withDerived(identity.fields, row), row.version);
    });
};
