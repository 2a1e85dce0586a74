import { type CertificateEnd, endOfPem, endsOfPkcs7 } from '../certificate-end.ts';
import { useLoaded } from '../loaded.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { ToEntity } from './entity-link.tsx';
import { Problem } from './problem.tsx';
import { Value } from './value.tsx';

/** How many of each kind are asked for, and how many are shown. */
const MAX_ASKED = 100;
const MAX_SHOWN = 10;
const DAY_MS = 86_400_000;
/** What ends within this time is marked. */
const SOON_MS = 30 * DAY_MS;
/** Tokens and signers that end later are not asked for. */
const HORIZON_MS = 90 * DAY_MS;

interface End {
  readonly what: string;
  readonly name: string;
  readonly endsAt: string;
  readonly todo: string;
  readonly entity?: { readonly group: string; readonly id: string };
}

const authorityEnds = async (signal: AbortSignal): Promise<readonly End[]> => {
  const { body } = await client.trust.authorities({}, { signal });
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return endsOfPkcs7(text).map(({ commonName, endsAt }: CertificateEnd) => ({
    what: texts.ends.authority,
    name: commonName,
    endsAt,
    todo: texts.ends.todo.authority,
  }));
};

const caEnds = async (signal: AbortSignal): Promise<readonly End[]> => {
  const { data } = await client.cas.list({ limit: MAX_ASKED, sort: 'name' }, { signal });
  return data.flatMap(({ id, name, certPem }) =>
    endOfPem(certPem ?? '').map(({ endsAt }) => ({
      what: texts.ends.ca,
      name,
      endsAt,
      todo: texts.ends.todo.ca,
      entity: { group: 'cas', id },
    })),
  );
};

const at = (ms: number): string => `datetime(${new Date(ms).toISOString()})`;

const signerEnds = async (signal: AbortSignal): Promise<readonly End[]> => {
  // Signers without a certificate of their own end in the year 1.
  const filter = `notAfter < ${at(Date.now() + HORIZON_MS)} and notAfter > ${at(0)}`;
  const { data } = await client.externalJwtSigners.list({ filter, sort: 'notAfter', limit: MAX_ASKED }, { signal });
  return data.map(({ id, name, notAfter }) => ({
    what: texts.ends.signer,
    name,
    endsAt: String(notAfter),
    todo: texts.ends.todo.signer,
    entity: { group: 'externalJwtSigners', id },
  }));
};

const tokenEnds = async (signal: AbortSignal): Promise<readonly End[]> => {
  const filter = `expiresAt < ${at(Date.now() + HORIZON_MS)} and expiresAt > ${at(Date.now())}`;
  const { data } = await client.apiTokens.list({ filter, sort: 'expiresAt', limit: MAX_ASKED }, { signal });
  return data.map(({ id, name, expiresAt }) => ({
    what: texts.ends.token,
    name,
    endsAt: expiresAt,
    todo: texts.ends.todo.token,
    entity: { group: 'apiTokens', id },
  }));
};

/** When certificates and tokens end, the earliest first, with what to do about those that end soon. */
export const Ends = ({ session, turn }: { readonly session: Session; readonly turn: number }) => {
  const { value, error, reload } = useLoaded(`ends ${turn}`, async (signal) => {
    const found = await Promise.all([
      authorityEnds(signal),
      session.may('cas', 'list') ? caEnds(signal) : [],
      session.may('externalJwtSigners', 'list') ? signerEnds(signal) : [],
      session.may('apiTokens', 'list') ? tokenEnds(signal) : [],
    ]);
    return found.flat().toSorted((one, other) => Date.parse(one.endsAt) - Date.parse(other.endsAt));
  });
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value || value.length === 0) return null;
  return (
    <section aria-labelledby="ends">
      <h2 id="ends">{texts.ends.title}</h2>
      <ol class="changes ends">
        {value.slice(0, MAX_SHOWN).map((end) => (
          <Row key={`${end.what} ${end.entity?.id ?? end.name} ${end.endsAt}`} {...end} />
        ))}
      </ol>
      {value.length > MAX_SHOWN && <p class="muted">{texts.more(value.length - MAX_SHOWN)}</p>}
    </section>
  );
};

const Row = ({ what, name, endsAt, todo, entity }: End) => {
  const left = Date.parse(endsAt) - Date.now();
  return (
    <li>
      <Value value={endsAt} />
      <span>
        {what} {entity ? <ToEntity {...entity}>{name}</ToEntity> : <strong>{name}</strong>}
        {left < SOON_MS && (
          <>
            {' '}
            <strong class="soon">{left < 0 ? texts.ends.ended : texts.ends.soon}</strong> {todo}
          </>
        )}
      </span>
    </li>
  );
};
