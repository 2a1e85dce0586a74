import { useState } from 'preact/hooks';
import type { KindView } from '../kinds.ts';
import { offsetIn } from '../list-page.ts';
import { useLoaded } from '../loaded.ts';
import { BatchDialog } from '../parts/batch-dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { FilteredLink } from '../parts/entity-link.tsx';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { Paging } from '../parts/paging.tsx';
import { Problem } from '../parts/problem.tsx';
import { countText } from '../parts/roles-input.tsx';
import { Table } from '../parts/table.tsx';
import { readRename } from '../rename-attribute.ts';
import { goTo, hrefOf } from '../router.ts';
import { selectionFilter } from '../selection.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { revertsTo } from '../undo.ts';

const t = texts.attributes;
const PAGE = 25;

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly query: { readonly offset?: string };
}

interface AttributePage {
  readonly data: readonly string[];
  readonly pagination: { readonly limit: number; readonly offset: number; readonly totalCount: number };
}

/** Reads the role attributes in use. A group with role attributes has a verb of its name. */
const readAttributes = (group: string, offset: number, signal: AbortSignal): Promise<AttributePage> =>
  (client.roleAttributes as unknown as Readonly<Record<string, (input: object, options: object) => Promise<AttributePage>>>)[group]?.(
    { limit: PAGE, offset, sort: 'id asc' },
    { signal },
  ) ?? Promise.reject(new TypeError(group));

/** The role attributes that entities of a kind have, each with a link to its members, and a form to rename it. */
export const Attributes = ({ session, kind, query }: Props) => {
  const { group } = kind;
  const offset = offsetIn(query.offset);
  const [renaming, setRenaming] = useState<string>();
  const { value, error, reload } = useLoaded(`attributes of ${group} ${offset}`, (signal) => readAttributes(group, offset, signal));
  const done = (): void => {
    setRenaming(undefined);
    reload();
  };
  const mayRename = session.may(group, 'patch') && session.may('batch', 'run');
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['entities', group])}>{kind.label}</a>
      </p>
      <Heading text={t.title(kind.label)} />
      {error !== undefined && <Problem error={error} retry={reload} />}
      {error === undefined && !value && <p>{texts.loading}</p>}
      {value?.data.length === 0 && <Empty icon="policy" text={texts.none} hint={t.purpose} />}
      {value && value.data.length > 0 && (
        <Table columns={[t.attribute, ...(mayRename ? [t.rename] : [])]}>
          <tbody>
            {value.data.map((attribute) => (
              <tr key={attribute}>
                <th scope="row">
                  <FilteredLink group={group} filter={selectionFilter('AnyOf', [{ role: `#${attribute}` }])}>
                    {attribute}
                  </FilteredLink>
                </th>
                {mayRename && (
                  <td>
                    {renaming === attribute ? (
                      <RenameForm {...{ session, group, attribute }} close={() => setRenaming(undefined)} done={done} />
                    ) : (
                      <button type="button" aria-label={t.renameOf(attribute)} onClick={() => setRenaming(attribute)}>
                        {t.rename}
                      </button>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {value && (
        <Paging
          {...value.pagination}
          shownCount={value.data.length}
          goTo={(to) => goTo(hrefOf(['attributes', group], to === 0 ? {} : { offset: String(to) }))}
        />
      )}
    </>
  );
};

interface RenameProps {
  readonly session: Session;
  readonly group: string;
  readonly attribute: string;
  readonly close: () => void;
  readonly done: () => void;
}

const RenameForm = ({ session, group, attribute, close, done }: RenameProps) => {
  const [entered, setEntered] = useState(attribute);
  const [name, setName] = useState<string>();
  const next = entered.trim().replace(/^#/, '');
  return (
    <>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          if (next !== '' && next !== attribute) setName(next);
        }}
      >
        <input
          type="text"
          required
          aria-label={t.newName(attribute)}
          ref={(input) => input?.focus()}
          value={entered}
          onInput={(event) => setEntered(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          {texts.bulk.proceed}
        </button>
        <button type="button" onClick={close}>
          {texts.cancel}
        </button>
      </form>
      {name !== undefined && <RenameDialog {...{ session, group, attribute, name, done }} close={() => setName(undefined)} />}
    </>
  );
};

/** Reads what names the attribute, and changes all of it in one transaction after a preview. */
const RenameDialog = ({ session, group, attribute, name, close, done }: RenameProps & { readonly name: string }) => {
  const { value, error, reload } = useLoaded(`rename ${attribute} ${name}`, (signal) =>
    readRename(session, group, attribute, name, signal),
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value) return <p role="status">{t.searching}</p>;
  if (value.isTooLarge) return <p role="alert">{t.tooLarge}</p>;
  if (!value.mayChange) return <p role="alert">{t.mayNot}</p>;
  const operations = value.kinds.flatMap((each) => each.operations);
  const counts = value.kinds.map(({ kind, entities }) => countText(kind.group, entities.length));
  return (
    <BatchDialog
      key={JSON.stringify(operations)}
      title={t.question(attribute, name)}
      text={t.about(counts.join(', '))}
      action={t.rename}
      name={`rename ${group} ${attribute}`}
      operations={operations}
      outdated={reload}
      done={({ before, after }) => {
        const reverts = revertsTo(session, value.kinds, before);
        const undo = reverts ? { operations: reverts, ifRevision: after } : 'none';
        flash.set({ text: t.done(attribute, name), at: hrefOf(['attributes', group]), undo });
        done();
      }}
      close={close}
    />
  );
};
