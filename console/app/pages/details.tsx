import { useState } from 'preact/hooks';
import { type Identity, versionOf } from '../../../src/client/index.ts';
import { mayPicture, type SubjectGroup } from '../access-picture.ts';
import { entityApi, type KindView, previewOf, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { IdentityPanel } from '../parts/identity-panel.tsx';
import { Problem } from '../parts/problem.tsx';
import { Value } from '../parts/value.tsx';
import { goTo, hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

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
  const [isDeleting, setDeleting] = useState(false);
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
        {session.mayOn(group, 'patch', value) && (
          <a class="button" href={hrefOf(['entities', group, id, 'edit'])}>
            {texts.edit}
          </a>
        )}
        {kind.kind && session.may('history', 'list') && settings.features.includes('audit') && (
          <a class="button" href={hrefOf(['history', kind.kind, id])}>
            {texts.history.link}
          </a>
        )}
        {isSubject(group) &&
          settings.features.includes('access') &&
          (group === 'edgeRouters' ? mayPicture(session, group) : session.may('access', 'reach')) && (
            <a class="button" href={hrefOf(['access'], { [group]: id })}>
              {texts.access.title}
            </a>
          )}
        {session.mayOn(group, 'delete', value) && (
          <button type="button" class="danger" onClick={() => setDeleting(true)}>
            {texts.delete}
          </button>
        )}
      </Heading>
      {group === 'identities' && <IdentityPanel session={session} identity={value as unknown as Identity} reload={reload} />}
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
      {isDeleting && (
        <ChangeDialog
          title={texts.deleteTitle(titleOf(value))}
          action={texts.delete}
          isDangerous
          preview={(options) => previewOf(group).delete({ id }, options)}
          carryOut={async (options) => {
            const version = versionOf(value);
            await api.delete({ id }, { ...options, ...(version === undefined ? {} : { ifVersion: version }) });
            flash.set({ text: texts.deleted(titleOf(value)), at: hrefOf(['entities', group]) });
            goTo(hrefOf(['entities', group]), true);
          }}
          close={() => setDeleting(false)}
        />
      )}
    </>
  );
};

/** True for the kinds of which the page of access has a picture. */
const isSubject = (group: string): group is SubjectGroup => ['identities', 'services', 'edgeRouters'].includes(group);
