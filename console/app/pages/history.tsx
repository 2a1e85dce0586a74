import { useState } from 'preact/hooks';
import { type HistoryEntry, previewing } from '../../../src/client/index.ts';
import { groupOfKind } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { ToEntity } from '../parts/entity-link.tsx';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf, textOf } from '../words.ts';
import { Overridden } from './audit.tsx';

const t = texts.history;
const PAGE = 20;

interface Props {
  readonly session: Session;
  readonly kind: string;
  readonly id: string;
  readonly before: string | undefined;
}

/** The changes of an entity, with its state after each of them, to which it can be reverted. */
export const History = ({ session, kind, id, before }: Props) => {
  const [reverting, setReverting] = useState<number>();
  const { value, error, reload } = useLoaded(`${kind}/${id}/${before}`, (signal) =>
    client.history.list({ kind, id, limit: PAGE, ...(before ? { before } : {}) }, { signal }),
  );
  const group = groupOfKind(kind);
  const entries = value?.data ?? [];
  const name = nameIn(entries) ?? id;
  const last = entries.at(-1);
  return (
    <>
      <p class="crumb">
        {group && (
          <ToEntity group={group} id={id}>
            {name}
          </ToEntity>
        )}{' '}
        <a href={hrefOf(['audit'], { kind, entityId: id })}>{texts.audit.title}</a>
      </p>
      <Heading text={t.title(name)} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      <ol class="audit">
        {entries.map((entry, index) => (
          <li key={entry.revision}>
            <div class="line">
              <Value value={entry.at} />
              <span>
                {texts.actions[entry.action] ?? entry.action} {texts.by} {entry.actor}
                {entry.reason && <em> – {entry.reason}</em>}
              </span>
            </div>
            <Overridden tests={entry.overriddenTests} />
            <p class="small">{entry.changed.map(labelOf).join(', ')}</p>
            <State entry={entry} earlier={entries[index + 1]?.after ?? undefined} />
            {entry.after && (index > 0 || before) && session.may('history', 'revert') && (
              <button type="button" onClick={() => setReverting(entry.revision)}>
                {t.revert}
              </button>
            )}
          </li>
        ))}
      </ol>
      {last && entries.length === PAGE && (
        <a href={hrefOf(['history', kind, id], { before: String(last.revision) })}>{texts.audit.older}</a>
      )}
      {reverting !== undefined && (
        <ChangeDialog
          title={t.revertTitle(name, reverting)}
          action={t.revert}
          preview={(options) => previewing(client).history.revert({ kind, id, body: { revision: reverting } }, options)}
          carryOut={async (options) => {
            const done = await client.history.revert({ kind, id, body: { revision: reverting } }, options);
            setReverting(undefined);
            if (done.id === id) return reload();
            flash.set({ text: t.madeAgain(name), at: hrefOf(['history', kind, done.id]) });
            goTo(hrefOf(['history', kind, done.id]));
          }}
          close={() => setReverting(undefined)}
        />
      )}
    </>
  );
};

const nameIn = (entries: readonly HistoryEntry[]): string | undefined => {
  const name = entries.find(({ after }) => after)?.after?.['name'];
  return typeof name === 'string' ? name : undefined;
};

/** The entity since a change, the changed fields with what they were. */
const State = ({ entry, earlier }: { readonly entry: HistoryEntry; readonly earlier: Readonly<Record<string, unknown>> | undefined }) => {
  const { after, changed } = entry;
  if (!after) return null;
  return (
    <details>
      <summary class="small muted">{t.state}</summary>
      <dl class="fields">
        {Object.entries(after)
          .filter(([, value]) => value !== null && value !== undefined)
          .map(([field, value]) => (
            <div key={field} class={changed.includes(field) ? 'changed' : ''}>
              <dt>{labelOf(field)}</dt>
              <dd>
                {changed.includes(field) && earlier && <del>{textOf(earlier[field])}</del>} <Value value={value} isWhole />
              </dd>
            </div>
          ))}
      </dl>
    </details>
  );
};
