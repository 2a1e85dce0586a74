import { useState } from 'preact/hooks';
import { ApiError, type HistoryEntry, previewing } from '../../../client/index.ts';
import { groupOfKind } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { readNames } from '../names.ts';
import { ownerIn } from '../owners.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { EntityLink } from '../parts/entity-link.tsx';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { isOutdated, Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { type ShapeOf, storedShapesOf } from '../shapes.ts';
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

/** The changes of an entity, with the state after each, to which it can be reverted. */
export const History = ({ session, kind, id, before }: Props) => {
  const [reverting, setReverting] = useState<number>();
  const [hasChanged, setChanged] = useState(false);
  const { value, error, reload } = useLoaded(`${kind}/${id}/${before}`, async (signal) => {
    const { data } = await client.history.list({ kind, id, limit: PAGE, ...(before ? { before } : {}) }, { signal });
    const identities = data.flatMap(({ actor, after }) => [actor, ownerIn({ ...after }) ?? actor]);
    return { data, names: await readNames('identities', identities, signal) };
  });
  const group = groupOfKind(kind);
  const entries = value?.data ?? [];
  const names = value?.names ?? new Map<string, string>();
  const owner = names.get(ownerIn({ ...entries[0]?.after }) ?? '');
  const name = nameIn(entries) ?? owner ?? id;
  const last = entries.at(-1);
  /** The entity may only be reverted from a state that is shown. */
  const assertCurrent = async (): Promise<void> => {
    const newest = before ? undefined : entries[0]?.revision;
    const { data } = await client.history.list({ kind, id, limit: 1 });
    if (newest !== undefined && data[0]?.revision !== newest) throw new ApiError('PRECONDITION_FAILED');
  };
  return (
    <>
      <p class="crumb">
        {group && (
          <EntityLink group={group} id={id}>
            {name}
          </EntityLink>
        )}{' '}
        <a href={hrefOf(['audit'], { kind, entityId: id })}>{texts.audit.title}</a>
      </p>
      <Heading text={t.title(name)} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {hasChanged && (
        <p class="notice warn" role="alert">
          {texts.review.outdated(name)}
        </p>
      )}
      <ol class="audit">
        {entries.map((entry, index) => (
          <li key={entry.revision}>
            <div class="line">
              <Value value={entry.at} />
              <span>
                {t.actions[entry.action] ?? entry.action} {names.get(entry.actor) ?? entry.actor}
                {entry.reason && <em> – {entry.reason}</em>}
              </span>
            </div>
            <Overridden tests={entry.overriddenTests} />
            <p class="small">{entry.changed.map(labelOf).join(', ')}</p>
            <State entry={entry} earlier={entries[index + 1]?.after ?? undefined} shapeOf={storedShapesOf(group)} />
            {entry.after && (index > 0 || before) && session.may('history', 'revert') && (
              <button
                type="button"
                onClick={() => {
                  setChanged(false);
                  setReverting(entry.revision);
                }}
              >
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
          name={`revert ${kind}/${id}`}
          preview={async (options) => {
            await assertCurrent();
            return previewing(client).history.revert({ kind, id, body: { revision: reverting } }, options);
          }}
          carryOut={async (options) => {
            await assertCurrent();
            const reverted = await client.history.revert({ kind, id, body: { revision: reverting } }, options);
            setReverting(undefined);
            if (reverted.id === id) return reload();
            flash.set({ text: t.recreated(name), at: hrefOf(['history', kind, reverted.id]) });
            goTo(hrefOf(['history', kind, reverted.id]));
          }}
          refused={(failure) => {
            if (!isOutdated(failure)) return false;
            setChanged(true);
            reload();
            return true;
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

interface StateProps {
  readonly entry: HistoryEntry;
  readonly earlier: Readonly<Record<string, unknown>> | undefined;
  readonly shapeOf: ShapeOf;
}

/** The entity since a change, the changed fields with what they were. */
const State = ({ entry, earlier, shapeOf }: StateProps) => {
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
                {changed.includes(field) && earlier && <del>{textOf(earlier[field])}</del>}{' '}
                <Value value={value} shape={shapeOf(field)} isFull />
              </dd>
            </div>
          ))}
      </dl>
    </details>
  );
};
