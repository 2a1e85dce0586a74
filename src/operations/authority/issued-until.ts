import { authenticator, router } from '../../contract/api/kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import { MAX_CHAIN } from '../../crypto/pki/certificate.ts';
import { notAfterIn } from '../../crypto/pki/der.ts';
import { readPem } from '../../crypto/pki/pem.ts';
import { idAfter } from '../../query/index.ts';
import { tableOf } from '../../store/changelog/views.ts';
import type { Row, Store } from '../../store/storage/port.ts';

/** Maximum number of rows in memory. */
const PAGE = 1000;

/**
 * When the last stored certificate of a client or router expires that was issued by the network, or by the controller that it was adopted
 * from. ms since 1970
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

/** When the first certificate of a text expires. ms since 1970; 0 if there is none */
const endIn = (pem: unknown): number => {
  if (typeof pem !== 'string') return 0;
  const { value: [der] = [] } = readPem(pem, { labels: ['CERTIFICATE'], maxBlocks: MAX_CHAIN });
  return (der && notAfterIn(der)) ?? 0;
};
