import { useRef, useState } from 'preact/hooks';
import { versionOf } from '../../../src/client/index.ts';
import { entityApi, type KindView } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import { titleOf } from './list.tsx';

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly id: string;
}

/** Fields that say nothing to people: addresses of the API, and ids of entities that are shown by name beside them. */
const isHidden = (name: string, all: Readonly<Record<string, unknown>>): boolean =>
  name === '_links' || (name.endsWith('Id') && typeof all[name.slice(0, -2)] === 'object');

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

const LAST = ['createdAt', 'updatedAt', 'id'];

/** What people look for first: the name, then what has a value. */
const orderOf = (name: string, value: unknown): number =>
  name === 'name' ? -1 : LAST.includes(name) ? 2 + LAST.indexOf(name) : isEmpty(value) ? 1 : 0;

export const Details = ({ session, kind, id }: Props) => {
  const { group } = kind;
  const api = entityApi(group);
  const { value, error, reload } = useLoaded(`${group}/${id}`, (signal) => api.get({ id }, { signal }));
  const back = <a href={hrefOf(['entities', group])}>{texts.back}</a>;
  if (error !== undefined)
    return (
      <>
        <Heading text={kind.label} />
        <Problem error={error} retry={reload} />
        <p>{back}</p>
      </>
    );
  if (!value) return <p>{texts.loading}</p>;
  const fields = Object.entries(value).filter(([name]) => !isHidden(name, value));
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['entities', group])}>{kind.label}</a>
      </p>
      <Heading text={titleOf(value)}>
        {session.may(group, 'patch') && (
          <a class="button" href={hrefOf(['entities', group, id, 'edit'])}>
            {texts.edit}
          </a>
        )}
        {session.may(group, 'delete') && (
          <Removal
            name={titleOf(value)}
            remove={async (reason) => {
              const version = versionOf(value);
              await api.delete({ id }, { ...(version === undefined ? {} : { ifVersion: version }), ...(reason ? { reason } : {}) });
              flash.set({ text: texts.deleted(titleOf(value)), at: hrefOf(['entities', group]) });
              goTo(hrefOf(['entities', group]), true);
            }}
          />
        )}
      </Heading>
      <dl class="fields">
        {fields
          .toSorted(([one, first], [other, second]) => orderOf(one, first) - orderOf(other, second))
          .map(([name, each]) => (
            <div key={name}>
              <dt>{labelOf(name)}</dt>
              <dd>
                <Value value={isEmpty(each) ? null : each} isWhole />
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
};

/** Deletes after a question, with a reason for the change log. */
const Removal = ({ name, remove }: { readonly name: string; readonly remove: (reason: string) => Promise<void> }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>();
  return (
    <>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        {texts.delete}
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">{texts.deleteTitle(name)}</h2>
        <p>{texts.deleteHint}</p>
        <label for="delete-reason">{texts.reason}</label>
        <input id="delete-reason" type="text" maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        <p class="muted small">{texts.reasonHint}</p>
        {error !== undefined && <Problem error={error} />}
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            {texts.cancel}
          </button>
          <button type="button" class="danger" onClick={() => void remove(reason).catch(setError)}>
            {texts.delete}
          </button>
        </div>
      </dialog>
    </>
  );
};
