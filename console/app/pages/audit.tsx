import { useState } from 'preact/hooks';
import type { AuditRecord } from '../../../src/client/index.ts';
import { groupOfKind } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { Heading } from '../parts/heading.tsx';
import { Paging } from '../parts/paging.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf, textOf } from '../words.ts';

const t = texts.audit;
const PAGE = 30;

/** The questions of the audit that the page asks, each a parameter of its address. */
const QUESTIONS = ['actor', 'kind', 'entityId', 'field', 'operation', 'from', 'to'] as const;
type Questions = Partial<Readonly<Record<(typeof QUESTIONS)[number] | 'offset', string>>>;

/** Who did what to which entity, from where and why, newest first. */
export const Audit = ({ session, query }: { readonly session: Session; readonly query: Questions }) => {
  const { offset = '0', ...questions } = query;
  const ask = (next: Questions): void => goTo(hrefOf(['audit'], next));
  const { value, error, isLoading, reload } = useLoaded(JSON.stringify(query), (signal) =>
    client.audit.list({ ...questions, offset, limit: PAGE }, { signal }),
  );
  return (
    <>
      <Heading text={t.title} />
      {session.may('audit', 'verify') && <Verification />}
      <Form key={JSON.stringify(questions)} questions={questions} ask={ask} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {value?.data.length === 0 && <p class="muted">{t.none}</p>}
      <ol class="audit" aria-busy={isLoading}>
        {(value?.data ?? []).map((record) => (
          <Record key={record.revision} record={record} />
        ))}
      </ol>
      <Paging
        limit={PAGE}
        offset={Number(offset)}
        totalCount={value?.pagination.totalCount ?? 0}
        shown={value?.data.length ?? 0}
        goTo={(to) => ask({ ...questions, offset: String(to) })}
        names={{ previous: t.newer, next: t.older }}
      />
    </>
  );
};

const Form = ({ questions, ask }: { readonly questions: Questions; readonly ask: (next: Questions) => void }) => {
  const [entered, setEntered] = useState<Questions>(questions);
  const input = (name: (typeof QUESTIONS)[number]) => {
    const id = `ask-${name}`;
    const enter = (value: string): void => setEntered({ ...entered, [name]: value });
    return (
      <div class="field" key={name}>
        <label for={id}>{t.questions[name]}</label>
        {name === 'from' || name === 'to' ? (
          <input
            id={id}
            type="datetime-local"
            value={localOf(entered[name])}
            onInput={(event) => enter(timeOf(event.currentTarget.value))}
          />
        ) : (
          <input id={id} type="text" autocomplete="off" value={entered[name] ?? ''} onInput={(event) => enter(event.currentTarget.value)} />
        )}
      </div>
    );
  };
  const isAsking = QUESTIONS.some((name) => questions[name]);
  return (
    <details class="questions" open={isAsking}>
      <summary>{t.ask}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask(Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, value.trim()])));
        }}
      >
        <div class="columns">{QUESTIONS.map(input)}</div>
        <div class="actions">
          <button type="submit" class="primary">
            {texts.apply}
          </button>
          {isAsking && (
            <button type="button" class="quiet" onClick={() => ask({})}>
              {texts.clear}
            </button>
          )}
        </div>
      </form>
    </details>
  );
};

/** The time that an input for local times holds. */
const timeOf = (local: string): string => (local ? new Date(local).toISOString() : '');

/** A time as an input for local times takes it. */
const localOf = (time: string | undefined): string => {
  if (!time) return '';
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const Record = ({ record }: { readonly record: AuditRecord }) => {
  const { revision, at, action, entity, entityId, entityName, actor, actorName, onBehalfOf, reason, overriddenTests, differences } = record;
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
              {texts.actions[action] ?? action} {labelOf(entity).toLowerCase()}{' '}
              {group ? (
                <a href={hrefOf(['history', entity, entityId])}>{entityName ?? entityId}</a>
              ) : (
                <strong>{entityName ?? entityId}</strong>
              )}
            </>
          )}
          {reason && <em> – {reason}</em>}
        </span>
      </div>
      <Overridden tests={overriddenTests} />
      <details>
        <summary class="small muted">{t.details(differences.length)}</summary>
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
                <td class="was">{shown(before)}</td>
                <td class="is">{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="muted small">{originOf(record)}</p>
        <p class="muted small hash">
          {t.revision} {revision} · {record.hash ?? t.unhashed}
        </p>
      </details>
    </li>
  );
};

/** The policy tests that a change has broken, because its author overrode them. */
export const Overridden = ({ tests }: { readonly tests: AuditRecord['overriddenTests'] }) =>
  tests && (
    <p class="bad small">
      {t.overridden(tests.count)} {tests.tests.map(({ name }) => name).join(', ')}
      {tests.count > tests.tests.length && ', …'}
    </p>
  );

const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value, null, 1) : textOf(value);

const originOf = ({ origin, operation, address, requestId }: AuditRecord): string =>
  [origin && t.origins[origin], operation, address, requestId && t.request(requestId)].filter(Boolean).join(' · ');

/** Checks the hash chain of the log, part by part if it is long. */
const Verification = () => {
  const [state, setState] = useState<{ readonly text: string; readonly tone: string }>();
  const [error, setError] = useState<unknown>();
  const verify = async (): Promise<void> => {
    setError(undefined);
    let records = 0;
    for (let from: number | undefined; ; ) {
      const found = await client.audit.verify(from === undefined ? {} : { from });
      records += found.records;
      setState({ text: t.verifying(records), tone: '' });
      if (found.fault) return setState({ text: t.fault(found.fault.revision, found.fault.message), tone: 'bad' });
      if (found.next === null) return setState({ text: t.intact(records, found.unhashed), tone: 'good' });
      from = found.next;
    }
  };
  return (
    <div class={`notice ${state?.tone ?? ''}`} role="status">
      <p>{state?.text ?? t.chain}</p>
      {error !== undefined && <Problem error={error} />}
      <button type="button" onClick={() => void verify().catch(setError)}>
        {t.verify}
      </button>
    </div>
  );
};
