import { type Ca, filter as filterText } from '../../../client/index.ts';
import { type CertificateEnd, endOfPem, endsOfPkcs7, endsSoon, timeUntil } from '../certificate-end.ts';
import { readFirst } from '../list-page.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { EntityLink } from './entity-link.tsx';
import { Value } from './value.tsx';

const MAX_SHOWN = 10;
/** Tokens and signers that end later are not asked for. */
const HORIZON_MS = 90 * 86_400_000;

interface End {
  readonly what: string;
  readonly name: string;
  readonly endsAt: string;
  readonly todo: string;
  readonly entity?: { readonly group: string; readonly id: string };
}

/** The earliest ends of a kind, at least as many as are shown, and the number of all. */
export interface Ends {
  readonly first: readonly End[];
  readonly count: number;
}

const NONE: Ends = { first: [], count: 0 };

const authorityEnds = async (signal: AbortSignal): Promise<Ends> => {
  const { body } = await client.trust.authorities({}, { signal });
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const first = endsOfPkcs7(text).map(({ commonName, endsAt }: CertificateEnd) => ({
    what: texts.ends.authority,
    name: commonName,
    endsAt,
    todo: texts.ends.todo.authority,
  }));
  return { first, count: first.length };
};

/** The API does not sort authorities by their end, so all of them are read. */
const caEnds = async (signal: AbortSignal): Promise<Ends> => {
  const { data } = await readFirst(Number.POSITIVE_INFINITY, (range) => client.cas.list({ ...range, sort: 'id' }, { signal }));
  const first = data.flatMap(caEnd);
  return { first, count: first.length };
};

const caEnd = ({ id, name, certPem }: Ca): readonly End[] =>
  endOfPem(certPem ?? '').map(({ endsAt }) => ({
    what: texts.ends.ca,
    name,
    endsAt,
    todo: texts.ends.todo.ca,
    entity: { group: 'cas', id },
  }));

const signerEnds = async (signal: AbortSignal): Promise<Ends> => {
  // Signers without a certificate of their own end in the year 1.
  const filter = filterText`notAfter < ${horizon()} and notAfter > ${new Date(0)}`;
  const { data, pagination } = await client.externalJwtSigners.list({ filter, sort: 'notAfter', limit: MAX_SHOWN }, { signal });
  const first = data.map(({ id, name, notAfter }) => ({
    what: texts.ends.signer,
    name,
    endsAt: String(notAfter),
    todo: texts.ends.todo.signer,
    entity: { group: 'externalJwtSigners', id },
  }));
  return { first, count: pagination.totalCount };
};

const tokenEnds = async (signal: AbortSignal): Promise<Ends> => {
  const filter = filterText`expiresAt < ${horizon()} and expiresAt > ${new Date()}`;
  const { data, pagination } = await client.apiTokens.list({ filter, sort: 'expiresAt', limit: MAX_SHOWN }, { signal });
  const first = data.map(({ id, name, expiresAt }) => ({
    what: texts.ends.token,
    name,
    endsAt: expiresAt,
    todo: texts.ends.todo.token,
    entity: { group: 'apiTokens', id },
  }));
  return { first, count: pagination.totalCount };
};

const horizon = (): Date => new Date(Date.now() + HORIZON_MS);

/** The earliest ends of all kinds, and the number of all. */
export const readEnds = async ({ may }: Session, signal: AbortSignal): Promise<Ends> => {
  const found = await Promise.all([
    authorityEnds(signal),
    may('cas', 'list') ? caEnds(signal) : NONE,
    may('externalJwtSigners', 'list') ? signerEnds(signal) : NONE,
    may('apiTokens', 'list') ? tokenEnds(signal) : NONE,
  ]);
  const sorted = found.flatMap(({ first }) => first).toSorted((one, other) => Date.parse(one.endsAt) - Date.parse(other.endsAt));
  return { first: sorted.slice(0, MAX_SHOWN), count: found.reduce((sum, { count }) => sum + count, 0) };
};

/** The ends of certificates and tokens, the earliest first, with what to do about those that end soon. */
export const ExpiryList = ({ first, count }: Ends) =>
  count === 0 ? null : (
    <section aria-labelledby="ends">
      <h2 id="ends">{texts.ends.title}</h2>
      <ol class="changes">
        {first.map((end) => (
          <Row key={`${end.what} ${end.entity?.id ?? end.name} ${end.endsAt}`} {...end} />
        ))}
      </ol>
      {count > first.length && <p class="muted">{texts.more(count - first.length)}</p>}
    </section>
  );

/** True if the list is among what needs attention. */
export const isUrgent = ({ first }: Ends): boolean => first.some(({ endsAt }) => endsSoon(endsAt));

const Row = ({ what, name, endsAt, todo, entity }: End) => (
  <li>
    <Value value={endsAt} shape="date" />
    <span>
      {what} {entity ? <EntityLink {...entity}>{name}</EntityLink> : <strong>{name}</strong>}
      {endsSoon(endsAt) && (
        <>
          {' '}
          <strong class={timeUntil(endsAt) < 0 ? 'bad' : 'soon'}>{timeUntil(endsAt) < 0 ? texts.ends.ended : texts.ends.soon}</strong>{' '}
          {todo}
        </>
      )}
    </span>
  </li>
);
