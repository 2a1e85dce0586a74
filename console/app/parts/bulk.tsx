import { useEffect, useRef, useState } from 'preact/hooks';
import { type BulkAction, bulkActionsOf, changedBy, MAX_BULK, mayCarryOut, operationsOf, undoOf } from '../bulk.ts';
import { type EntityList, orderOf } from '../entity-list.ts';
import { type Entity, identifiersOf, type KindView } from '../kinds.ts';
import { readMatching } from '../matching.ts';
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { AttributesForm } from './attributes-form.tsx';
import { BatchDialog } from './batch-dialog.tsx';
import { Disabling } from './disabling.tsx';
import { flash } from './flash.tsx';
import { Problem } from './problem.tsx';

const t = texts.bulk;

/** The selected entities of a list, by their ids: they stay selected on other pages. */
export interface Selection {
  readonly entities: ReadonlyMap<string, Entity>;
  readonly set: (entities: ReadonlyMap<string, Entity>) => void;
}

/** The selection of a list, which ends with its filter. */
export const useSelection = (filter: string): Selection => {
  const [entities, set] = useState<ReadonlyMap<string, Entity>>(new Map());
  useEffect(() => set(new Map()), [filter]);
  return { entities, set };
};

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly list: EntityList;
  readonly selection: Selection;
  /** True while another page is read: the list is that of before. */
  readonly isLoading: boolean;
  /** Called after the entities have been changed. */
  readonly done: () => void;
}

/** The selection of a list, and what can be done with it. */
export const Bulk = ({ session, kind, list, selection, isLoading, done }: Props) => {
  const actions = bulkActionsOf(session, kind);
  const [action, setAction] = useState<BulkAction>();
  if (actions.length === 0) return null;
  const count = selection.entities.size;
  const isAsking = action?.takesAttributes && action.body === undefined;
  return (
    <section class="bulk" aria-label={t.title}>
      <Selecting kind={kind} list={list} selection={selection} isLoading={isLoading} />
      {count > 0 && (
        <div class="actions">
          {actions.map((each) => (
            <button
              key={each.name}
              type="button"
              class={each.name === 'delete' ? 'danger' : undefined}
              disabled={![...selection.entities.values()].some((entity) => mayCarryOut(session, kind, each, entity))}
              onClick={() => setAction(each)}
            >
              {t.actions[each.name]}
            </button>
          ))}
        </div>
      )}
      {action && isAsking && (
        <AttributesForm
          key={action.name}
          group={kind.group}
          action={t.actions[action.name]}
          enter={(roleAttributes) => setAction({ ...action, body: { roleAttributes } })}
          cancel={() => setAction(undefined)}
        />
      )}
      {action && !isAsking && count > 0 && (
        <BulkDialog
          {...{ session, kind, action }}
          selected={[...selection.entities.values()]}
          done={() => {
            setAction(undefined);
            done();
          }}
          close={() => setAction(undefined)}
        />
      )}
    </section>
  );
};

/** The selection: rows, a page, or all that match. */
const Selecting = ({ kind, list: { page, filter, sort }, selection, isLoading }: Omit<Props, 'session' | 'done'>) => {
  const { entities, set } = selection;
  const [progress, setProgress] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { totalCount } = page.pagination;
  const isWhole = page.data.every(({ id }) => entities.has(id));
  const selectPage = (): void => {
    const ids = page.data.map(({ id }) => id);
    const others = [...entities].filter(([id]) => !ids.includes(id));
    const added = isWhole ? [] : page.data.map((entity) => [entity.id, entity] as const);
    set(new Map([...others, ...added].slice(0, MAX_BULK)));
  };
  const selectAll = async (): Promise<void> => {
    setError(undefined);
    try {
      const all = await readMatching(kind, { filter, sort: orderOf(sort) }, MAX_BULK, (count, total) =>
        setProgress(t.reading(count, total)),
      );
      set(new Map(all.map((entity) => [entity.id, entity])));
    } catch (failure) {
      setError(failure);
    }
    setProgress(undefined);
  };
  return (
    <>
      <div class="actions">
        <label class="option">
          <input type="checkbox" checked={isWhole} disabled={isLoading} onChange={selectPage} /> {t.page(page.data.length)}
        </label>
        <span class="muted" role="status">
          {progress ?? (entities.size > 0 && t.selected(entities.size))}
        </span>
        {totalCount > page.data.length && entities.size < Math.min(totalCount, MAX_BULK) && (
          <button type="button" class="quiet" disabled={isLoading || progress !== undefined} onClick={() => void selectAll()}>
            {totalCount > MAX_BULK ? t.firstOfAll(MAX_BULK, totalCount) : t.all(totalCount)}
          </button>
        )}
        {entities.size > 0 && (
          <button type="button" class="quiet" onClick={() => set(new Map())}>
            {t.none}
          </button>
        )}
      </div>
      {totalCount > MAX_BULK && entities.size === MAX_BULK && <p class="muted small">{t.bounded(MAX_BULK)}</p>}
      {error !== undefined && <Problem error={error} />}
    </>
  );
};

/** Entities that are named before they are changed. */
const MAX_NAMED = 10;

interface DialogProps extends Pick<Props, 'session' | 'kind' | 'done'> {
  readonly action: BulkAction;
  readonly selected: readonly Entity[];
  readonly close: () => void;
}

/** One preview of what happens to all selected entities, and one transaction. */
const BulkDialog = ({ session, kind, action, selected, done, close }: DialogProps) => {
  const { group, singular, label } = kind;
  const entities = selected.filter((entity) => mayCarryOut(session, kind, action, entity));
  const changed = useRef<readonly Entity[]>(entities);
  const what = entities.length === 1 ? singular : texts.inSentence(label);
  const names = entities.slice(0, MAX_NAMED).map((entity) => identifiersOf(entity, kind).join(' · '));
  const attributes = [action.body?.['roleAttributes'] ?? []].flat().map(String);
  return (
    <BatchDialog
      title={t.question(t.actions[action.name], entities.length, what, attributes)}
      text={t.about(names, entities.length, selected.length - entities.length)}
      action={t.confirm(t.actions[action.name], entities.length)}
      name={`${action.name} ${group}`}
      isDangerous={action.name === 'delete' || action.name === 'disable'}
      losses={action.name === 'disable' && <Disabling session={session} group={group} entities={entities} />}
      operations={operationsOf(kind, action, entities)}
      begin={async () => {
        changed.current = await changedBy(kind, action, entities);
      }}
      done={(revisions) => {
        const undo = undoOf(session, kind, action, changed.current, revisions);
        flash.set({ text: t.done[action.name](entities.length, what), at: hrefOf(['entities', group]), undo });
        done();
      }}
      close={close}
    />
  );
};
