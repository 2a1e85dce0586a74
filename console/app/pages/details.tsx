import { useState } from 'preact/hooks';
import { versionOf } from '../../../client/index.ts';
import { mayPicture, type SubjectGroup } from '../access-picture.ts';
import { type Entity, entityApi, type KindView, previewOf, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { useOutdated } from '../outdated.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { CopyButton, copiedText } from '../parts/copy-button.tsx';
import { EntityPanel } from '../parts/entity-panel.tsx';
import { FieldValue } from '../parts/field-value.tsx';
import { flash } from '../parts/flash.tsx';
import { Heading } from '../parts/heading.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { isOutdated, Problem } from '../parts/problem.tsx';
import { Related } from '../parts/related.tsx';
import { States } from '../parts/state.tsx';
import { goTo, hrefOf } from '../router.ts';
import { formsOf } from '../schema.ts';
import { client, type Session } from '../session.ts';
import { settings } from '../settings.ts';
import { shapesOf } from '../shapes.ts';
import { texts } from '../texts.ts';
import { undoOfDeletion } from '../undo.ts';
import { labelOf } from '../words.ts';
import { AuditEntry } from './audit.tsx';

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  readonly id: string;
  /** The group of the related list to show. */
  readonly related: string | undefined;
}

/** True for addresses of the API, and for fields that another field shows by name. */
const isHidden = (name: string, entity: Readonly<Record<string, unknown>>): boolean =>
  name === '_links' ||
  // The panel above the fields shows it, without its tokens.
  name === 'enrollment' ||
  (name.endsWith('Display') && entity[name.slice(0, -'Display'.length)] !== undefined) ||
  (name.endsWith('Id') && typeof entity[name.slice(0, -2)] === 'object');

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

const LAST = ['createdAt', 'updatedAt', 'id'];

/** The sort key of a field: the name comes first, and those in `LAST` come last. */
const orderOf = (name: string): number => (name === 'name' ? -1 : 1 + LAST.indexOf(name));

export const Details = ({ session, kind, id, related }: Props) => {
  const { group } = kind;
  const api = entityApi(group);
  const [isDeleting, setDeleting] = useState(false);
  const [hasChanged, setChanged] = useState(false);
  const [turn, setTurn] = useState(0);
  const { value, error, reload: readAgain } = useLoaded(`${group}/${id}`, (signal) => api.get({ id }, { signal }));
  const reload = (): void => {
    readAgain();
    setTurn(turn + 1);
  };
  const isOutdatedNow = useOutdated(kind, value);
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
  const shapeOf = shapesOf(group);
  const fields = Object.entries(value).filter(([name]) => !isHidden(name, value));
  const filled = fields.filter(([, field]) => !isEmpty(field)).toSorted(([one], [other]) => orderOf(one) - orderOf(other));
  const empty = fields.filter(([, field]) => isEmpty(field)).map(([name]) => labelOf(name));
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['entities', group])}>{kind.label}</a>
      </p>
      <Heading text={titleOf(value, kind)}>
        <Links session={session} kind={kind} entity={value} />
        {session.mayOn(group, 'delete', value) && (
          <button
            type="button"
            class="danger"
            onClick={() => {
              setChanged(false);
              setDeleting(true);
            }}
          >
            {texts.delete}
          </button>
        )}
      </Heading>
      {isOutdatedNow && !hasChanged && <OutdatedNotice action={texts.review.showCurrent} reload={reload} />}
      {hasChanged && (
        <p class="notice warn" role="alert">
          {texts.review.outdated(titleOf(value))}
        </p>
      )}
      <States group={group} entity={value} />
      <EntityPanel session={session} group={group} entity={value} reload={reload} />
      <dl class="fields">
        {filled.map(([name, field]) => (
          <div key={name}>
            <dt>{labelOf(name)}</dt>
            <dd>
              <FieldValue session={session} group={group} entity={value} name={name} value={field} shape={shapeOf(name)} />
              {copiedText(name, field) !== undefined && <CopyButton text={String(field)} about={labelOf(name)} />}
            </dd>
          </div>
        ))}
        {empty.length > 0 && (
          <div>
            <dt>{texts.notSet}</dt>
            <dd class="muted">{empty.join(', ')}</dd>
          </div>
        )}
      </dl>
      <Related session={session} group={group} id={id} shown={related} turn={turn} />
      {mayShowHistory(session, kind) && <LatestChanges kind={kind.kind ?? ''} id={id} turn={turn} />}
      {isDeleting && (
        <ChangeDialog
          title={texts.deleteTitle(titleOf(value, kind))}
          action={texts.delete}
          name={`delete ${group}/${id}`}
          isDangerous
          preview={(options) => previewOf(group).delete({ id }, options)}
          carryOut={async (options) => {
            const version = versionOf(value);
            await api.delete({ id }, { ...options, ...(version === undefined ? {} : { ifVersion: version }) });
            flash.set({
              text: texts.deleted(titleOf(value, kind)),
              at: hrefOf(['entities', group]),
              undo: undoOfDeletion(session, kind, value),
            });
            goTo(hrefOf(['entities', group]), { isReplacing: true });
          }}
          refused={(failure) => {
            if (!isOutdated(failure)) return false;
            setChanged(true);
            reload();
            return true;
          }}
          close={() => setDeleting(false)}
        />
      )}
    </>
  );
};

/** Links to the form, the history and the access of the entity, as far as the session may open them. */
const Links = ({ session, kind, entity }: { readonly session: Session; readonly kind: KindView; readonly entity: Entity }) => {
  const { group } = kind;
  const { id } = entity;
  const mayDuplicate = session.may(group, 'create') && formsOf(session, group, 'create').length > 0;
  const mayShowAccess = isSubject(group) && (group === 'edgeRouters' ? mayPicture(session, group) : session.may('access', 'reach'));
  return (
    <>
      {session.mayOn(group, 'patch', entity) && (
        <a class="button" href={hrefOf(['entities', group, id, 'edit'])}>
          {texts.edit}
        </a>
      )}
      {mayDuplicate && (
        <a class="button" href={hrefOf(['entities', group, 'new'], { from: id })}>
          {texts.duplicate}
        </a>
      )}
      {mayShowHistory(session, kind) && (
        <a class="button" href={hrefOf(['history', kind.kind ?? '', id])}>
          {texts.history.link}
        </a>
      )}
      {mayShowAccess && settings.features.includes('access') && (
        <a class="button" href={hrefOf(['access'], { [group]: id })}>
          {texts.access.title}
        </a>
      )}
    </>
  );
};

/** True if the changes of a kind are recorded, and the session may see them. */
const mayShowHistory = ({ may }: Session, { kind }: KindView): boolean =>
  kind !== undefined && may('history', 'list') && may('audit', 'list') && settings.features.includes('audit');

const MAX_CHANGES = 3;

/** Who changed the entity last, and how. */
const LatestChanges = ({ kind, id, turn }: { readonly kind: string; readonly id: string; readonly turn: number }) => {
  const { value, error, reload } = useLoaded(
    `changes of ${kind}/${id}`,
    (signal) => client.audit.list({ kind, entityId: id, limit: MAX_CHANGES }, { signal }),
    turn,
  );
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!value || value.data.length === 0) return null;
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">{texts.related.changes}</h2>
      <ol class="audit">
        {value.data.map((record) => (
          <AuditEntry key={record.revision} record={record} />
        ))}
      </ol>
      <p class="small">
        <a href={hrefOf(['history', kind, id])}>{texts.related.allChanges}</a>
      </p>
    </section>
  );
};

/** True for the kinds that the page of access can show. */
const isSubject = (group: string): group is SubjectGroup => ['identities', 'services', 'edgeRouters'].includes(group);
