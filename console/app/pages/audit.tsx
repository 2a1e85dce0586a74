import { useEffect, useState } from 'preact/hooks';
import type { AuditRecord } from '../../../client/index.ts';
import { groupOfKind } from '../kinds.ts';
import { offsetIn } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { toLocalTime, toUtc } from '../local-time.ts';
import { type Names, readOwners, titleOfRecord } from '../owners.ts';
import { AuditExport } from '../parts/audit-export.tsx';
import { ChangedValue } from '../parts/changed-value.tsx';
import { Heading } from '../parts/heading.tsx';
import { Paging } from '../parts/paging.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

const t = texts.audit;
const PAGE = 30;

/** The filters of the audit, each a parameter of the page's address. */
const FILTERS = ['actor', 'kind', 'entityId', 'field', 'operation', 'from', 'to'] as const;
/** With `verify`, the page verifies the chain once, and takes it out of the address. */
type Filters = Partial<Readonly<Record<(typeof FILTERS)[number] | 'offset' | 'verify', string>>>;

/** The audit: who changed which entity, how, from where and why, newest first. */
export const Audit = ({ session, query }: { readonly session: Session; readonly query: Filters }) => {
  const { offset: offsetText, verify, ...filters } = query;
  const offset = offsetIn(offsetText);
  const apply = (next: Filters): void => goTo(hrefOf(['audit'], next));
  const { value, error, isLoading, reload } = useLoaded(JSON.stringify({ ...filters, offset }), async (signal) => {
    const page = await client.audit.list({ ...filters, offset, limit: PAGE }, { signal });
    return { ...page, owners: await readOwners(page.data, signal) };
  });
  return (
    <>
      <Heading text={t.title}>
        <AuditExport filters={filters} />
      </Heading>
      {session.may('audit', 'verify') && (
        <Verification
          isWanted={verify !== undefined}
          taken={() => goTo(hrefOf(['audit'], { ...filters, offset: offsetText }), { isReplacing: true })}
        />
      )}
      <FilterForm key={JSON.stringify(filters)} filters={filters} apply={apply} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {value?.data.length === 0 && <p class="muted">{t.none}</p>}
      <ol class="audit" aria-busy={isLoading}>
        {(value?.data ?? []).map((record) => (
          <AuditEntry key={record.revision} record={record} owners={value?.owners} />
        ))}
      </ol>
      <Paging
        limit={PAGE}
        offset={offset}
        totalCount={value?.pagination.totalCount ?? 0}
        shownCount={value?.data.length ?? 0}
        goTo={(to) => apply({ ...filters, offset: String(to) })}
        names={{ previous: t.newer, next: t.older }}
      />
    </>
  );
};

const FilterForm = ({ filters, apply }: { readonly filters: Filters; readonly apply: (next: Filters) => void }) => {
  const [entered, setEntered] = useState<Filters>(() => withoutInvalidTimes(filters));
  const input = (name: (typeof FILTERS)[number]) => {
    const id = `audit-${name}`;
    const enter = (value: string): void => setEntered({ ...entered, [name]: value });
    return (
      <div class="field" key={name}>
        <label for={id}>{t.filters[name]}</label>
        {name === 'from' || name === 'to' ? (
          <input
            id={id}
            type="datetime-local"
            value={toLocalTime(entered[name] ?? '').slice(0, 16)}
            onInput={(event) => enter(toUtc(event.currentTarget.value))}
          />
        ) : (
          <input id={id} type="text" autocomplete="off" value={entered[name] ?? ''} onInput={(event) => enter(event.currentTarget.value)} />
        )}
      </div>
    );
  };
  const isFiltered = FILTERS.some((name) => filters[name]);
  return (
    <details class="questions" open={isFiltered}>
      <summary>{t.filter}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply(Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, value.trim()])));
        }}
      >
        <div class="columns">{FILTERS.map(input)}</div>
        <div class="actions">
          <button type="submit" class="primary">
            {texts.apply}
          </button>
          {isFiltered && (
            <button type="button" class="quiet" onClick={() => apply({})}>
              {texts.clear}
            </button>
          )}
        </div>
      </form>
    </details>
  );
};

/** Fields for times cannot show an invalid one, so it would be applied again unseen. */
const withoutInvalidTimes = ({ from = '', to = '', ...others }: Filters): Filters => ({ ...others, from: toUtc(from), to: toUtc(to) });

/** A record of the audit, as an entry of a list. */
export const AuditEntry = ({ record, owners = new Map() }: { readonly record: AuditRecord; readonly owners?: Names | undefined }) => {
  const { revision, at, action, entity, entityId, actor, actorName, onBehalfOf, reason, overriddenTests, differences } = record;
  const group = groupOfKind(entity);
  return (
    <li>
      <div class="line">
        <Value value={at} />
        <span>
          <a href={hrefOf(['audit'], { actor })}>{actorName ?? actor}</a>
          {onBehalfOf && <> {t.onBehalfOf(onBehalfOf)}</>}{' '}
          {entity === 'securityEvent' ? (
            <strong class="bad">{t.refused}</strong>
          ) : (
            <>
              {t.actions[action] ?? action} {texts.inSentence(labelOf(entity))}{' '}
              {group ? (
                <a href={hrefOf(['history', entity, entityId])}>{titleOfRecord(record, owners)}</a>
              ) : (
                <strong>{titleOfRecord(record, owners)}</strong>
              )}
            </>
          )}
          {reason && <em class="muted"> – {reason}</em>}
        </span>
      </div>
      <Overridden tests={overriddenTests} />
      <details>
        <summary class="small muted">{t.details(differences.length)}</summary>
        {differences.length > 0 && (
          <table class="differences">
            <thead>
              <tr>
                <th scope="col">{t.field}</th>
                <th scope="col">{t.before}</th>
                <th scope="col">{t.after}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{labelOf(field)}</th>
                  <td class="was" data-label={t.before}>
                    <ChangedValue group={group} field={field} value={before} />
                  </td>
                  <td class="is" data-label={t.after}>
                    <ChangedValue group={group} field={field} value={after} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <p class="muted small">{originOf(record)}</p>
        <p class="muted small">
          {t.revision} {revision} · {record.hash ?? t.unhashed}
        </p>
      </details>
    </li>
  );
};

/** The policy tests that the author of a change overrode. */
export const Overridden = ({ tests }: { readonly tests: AuditRecord['overriddenTests'] }) =>
  tests && (
    <p class="bad small">
      {t.overridden(tests.count)} {tests.tests.map(({ name }) => name).join(', ')}
      {tests.count > tests.tests.length && ', …'}
    </p>
  );

const originOf = ({ origin, operation, address, requestId }: AuditRecord): string =>
  [origin && t.origins[origin], operation, address, requestId && t.request(requestId)].filter(Boolean).join(' · ');

/** Verifies the hash chain of the change log, in several requests if it is long. */
const Verification = ({ isWanted, taken }: { readonly isWanted: boolean; readonly taken: () => void }) => {
  const [state, setState] = useState<{ readonly text: string; readonly tone: string }>();
  const [error, setError] = useState<unknown>();
  const verify = async (): Promise<void> => {
    setError(undefined);
    let records = 0;
    let from: number | null = null;
    do {
      const result = await client.audit.verify(from === null ? {} : { from });
      records += result.records;
      setState({ text: t.verifying(records), tone: '' });
      if (result.fault) return setState({ text: t.fault(result.fault.revision, result.fault.message), tone: 'bad' });
      if (result.next === null) setState({ text: t.intact(records, result.unhashed), tone: 'good' });
      from = result.next;
    } while (from !== null);
  };
  const start = (): void => void verify().catch(setError);
  useEffect(() => {
    if (!isWanted) return;
    taken();
    start();
  }, [isWanted]);
  return (
    <div class={`notice ${state?.tone ?? ''}`} role="status">
      <p>{state?.text ?? t.chain}</p>
      {error !== undefined && <Problem error={error} />}
      <button type="button" onClick={start}>
        {t.verify}
      </button>
    </div>
  );
};
