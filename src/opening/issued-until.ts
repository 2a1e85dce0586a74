import { authenticator, router } from '../api/kinds.ts';
import type { Kind } from '../api/kit/index.ts';
import { tableOf } from '../changelog/views.ts';
import { MAX_CHAIN } from '../pki/certificate.ts';
import { notAfterIn } from '../pki/der.ts';
import { readPem } from '../pki/pem.ts';
import { idAfter } from '../query/index.ts';
import type { Row, Store } from '../storage/port.ts';

/** Maximum number of rows in memory. */
const PAGE = 1000;

/**
 * When the last certificate of a client or router ends that the network, or the controller from which it was adopted, has issued, as far as the store has it.
 * ms since 1970
 */
export const issuedUntil = async (store: Store): Promise<number> =>
  Math.max(
    await latestEnd(store, authenticator, ({ isIssuedByNetwork }) => isIssuedByNetwork === true),
    await latestEnd(store, router, () => true),
  );

const latestEnd = async (store: Store, kind: Kind, isIssued: (row: Row) => boolean): Promise<number> => {
  let latest = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const query = { where: idAfter(after), limit: PAGE };
    const rows: readonly Row[] = await store.transaction('read', (tx) => tx.list(tableOf(kind), query));
    for (const row of rows) if (isIssued(row)) latest = Math.max(latest, endIn(row.certPem), endIn(row.unverifiedCertPem));
    after = rows.length < PAGE ? undefined : rows.at(-1)?.id;
  }
  return latest;
};

/** When the first certificate of a text ends; 0 if it has none. */
const endIn = (pem: unknown): number => {
  if (typeof pem !== 'string') return 0;
  const { value: [der] = [] } = readPem(pem, { labels: ['CERTIFICATE'], maxBlocks: MAX_CHAIN });
  return (der && notAfterIn(der)) ?? 0;
};
