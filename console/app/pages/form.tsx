import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Preview } from '../../../client/index.ts';
import { isDisabling } from '../disabling.ts';
import { deleteDraft, deleteReason } from '../drafts.ts';
import { bodyIn, changesIn, emptiesAny, partOf, toFormValue } from '../entered.ts';
import { type FieldProblem, fieldProblem } from '../field-problem.ts';
import { type FormState, useFormState } from '../form-state.ts';
import { type Entity, entityApi, type KindView, previewOf, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { useOutdated } from '../outdated.ts';
import { ChangeDialog, type ChangeOptions, type PreviewOptions } from '../parts/change-dialog.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Disabling } from '../parts/disabling.tsx';
import { Field } from '../parts/field.tsx';
import { flash } from '../parts/flash.tsx';
import { FormValues } from '../parts/form-values.ts';
import { idOf } from '../parts/group.tsx';
import { GuideLink } from '../parts/guide.tsx';
import { Heading } from '../parts/heading.tsx';
import { OrphanedDraft } from '../parts/orphaned-draft.tsx';
import { OutdatedNotice } from '../parts/outdated-notice.tsx';
import { isOutdated, Problem } from '../parts/problem.tsx';
import { ReasonField, useReason } from '../parts/reason.tsx';
import { Review } from '../parts/review.tsx';
import { goTo, hrefOf } from '../router.ts';
import { type FormField, type FormVariant, formsOf, wholeFormsOf } from '../schema.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';
import { undoOfChange, undoOfCreation } from '../undo.ts';

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  /** The entity to edit; undefined to create one. */
  readonly id?: string;
  /** The entity that a new one begins as a copy of. */
  readonly from?: string | undefined;
}

/** A form to create or edit an entity, made from the schema of the operation. */
export const EntityForm = ({ session, kind, id, from }: Props) => {
  const { group } = kind;
  const readId = id ?? from;
  const { value, error, reload } = useLoaded(`form ${group}/${readId}`, async (signal) =>
    readId === undefined ? undefined : entityApi(group).get({ id: readId }, { signal }),
  );
  const isGone = id !== undefined && error instanceof ApiError && error.status === 404;
  const isOutdatedNow = useOutdated(kind, id === undefined ? undefined : value);
  const title =
    id === undefined
      ? value
        ? texts.duplicateTitle(titleOf(value, kind))
        : texts.newEntity(kind.singular)
      : texts.editTitle(value ? titleOf(value) : '');
  const problem = error !== undefined && <Problem error={error} retry={reload} />;
  if (readId !== undefined && !value && !problem) return <p>{texts.loading}</p>;
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['entities', group])}>{kind.label}</a>
      </p>
      <Heading text={title}>
        <GuideLink group={group} />
      </Heading>
      {problem}
      {isGone && <OrphanedDraft session={session} group={group} name={`${group}/${id}`} />}
      {isOutdatedNow && <OutdatedNotice action={texts.review.takeOver} reload={reload} />}
      {(readId === undefined || value) && (
        <Form session={session} kind={kind} entity={id === undefined ? undefined : value} model={value} reload={reload} />
      )}
    </>
  );
};

interface FormProps {
  readonly session: Session;
  readonly kind: KindView;
  readonly entity: Entity | undefined;
  /** The entity that a new one begins as a copy of, or the one that is edited. */
  readonly model: Entity | undefined;
  readonly reload: () => void;
}

const Form = ({ session, kind, entity, model, reload }: FormProps) => {
  const { group } = kind;
  const draftName = `${group}/${entity?.id ?? (model ? `copy of ${model.id}` : 'new')}`;
  const forms = formsOf(session, group, entity ? 'patch' : 'create', entity);
  const state = useFormState(draftName, forms, entity, model);
  const { fields, shown } = state;
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const [discard, setDiscard] = useState<() => void>();
  const reason = useReason(draftName);
  const problem = error === undefined ? undefined : fieldProblem(fields, shown, error);
  useEffect(() => goToField(problem?.path), [error]);
  useEffect(() => setError(undefined), [state.version]);

  const leave = (href: string): void => {
    deleteDraft(draftName);
    deleteReason(draftName);
    goTo(href, { isReplacing: true });
  };
  const carryOut = async (options: ChangeOptions): Promise<void> => {
    if (!entity) return leave(hrefOf(['entities', group, await saveNew(session, kind, bodyOf(group, state), options)]));
    const change = changeOf(session, group, entity, state);
    if (await saveChange(group, entity.id, change, options))
      flash.set({
        text: texts.saved,
        at: hrefOf(['entities', group, entity.id]),
        undo: await undoOfChange(session, kind, entity, state.version, change.body),
      });
    leave(hrefOf(['entities', group, entity.id]));
  };
  const preview = async (options: PreviewOptions): Promise<Preview<unknown>> => {
    if (!entity) return previewOf(group).create({ body: bodyOf(group, state) }, options);
    const { verb, body, condition } = changeOf(session, group, entity, state);
    return previewOf(group)[verb]({ id: entity.id, body }, { ...options, ...condition });
  };
  /** Shows an error that the form can show better than a dialog. */
  const refused = (failure: unknown): boolean => {
    if (isOutdated(failure)) reload();
    else if (!fieldProblem(fields, shown, failure)) return false;
    setError(failure);
    return true;
  };
  const disables = (): boolean => entity !== undefined && isDisabling(entity, changeOf(session, group, entity, state).body);
  const save = async (): Promise<void> => {
    setError(undefined);
    try {
      const isUnchanged = entity && Object.keys(changeOf(session, group, entity, state).body).length === 0;
      if (!entity) bodyOf(group, state);
      if ((AFFECTING_ACCESS.includes(group) && !isUnchanged) || disables()) return setConfirming(true);
      setSaving(true);
      await carryOut(reason.text.trim() ? { reason: reason.text.trim() } : {});
    } catch (failure) {
      if (!refused(failure)) setError(failure);
      setSaving(false);
    }
  };
  const asksFirst = (act: () => void): void => (state.isChanged ? setDiscard(() => act) : act());
  const back = entity ? hrefOf(['entities', group, entity.id]) : hrefOf(['entities', group]);
  if (state.hasConflicts) return <Review key="conflicts" differences={state.differences} settle={state.settle} />;
  return (
    <form
      class="entity"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Notices state={state} startOver={() => asksFirst(state.startOver)} />
      {forms.length > 1 && !entity && <VariantField forms={forms} state={state} />}
      <FormValues.Provider value={{ ...entity, ...shown }}>
        <Fields state={state} problem={problem} entered={() => setError(undefined)} />
      </FormValues.Provider>
      {!AFFECTING_ACCESS.includes(group) && <ReasonField reason={reason} />}
      {error !== undefined && <Problem error={error} isOfField={problem !== undefined} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={isSaving}>
          {isSaving ? texts.saving : texts.save}
        </button>
        <a
          class="button"
          href={back}
          onClick={(event) => {
            event.preventDefault();
            asksFirst(() => leave(back));
          }}
        >
          {texts.cancel}
        </a>
      </div>
      {isConfirming && (
        <ChangeDialog
          title={entity ? texts.saveTitle(titleOf(entity)) : texts.newEntity(kind.singular)}
          action={texts.save}
          name={draftName}
          preview={preview}
          carryOut={carryOut}
          losses={entity && disables() && <Disabling session={session} group={group} entities={[entity]} />}
          refused={refused}
          close={() => setConfirming(false)}
        />
      )}
      {discard && (
        <ConfirmDialog
          title={texts.discardTitle}
          text={texts.discardHint}
          action={texts.discard}
          carryOut={discard}
          close={() => setDiscard(undefined)}
        />
      )}
    </form>
  );
};

/** Notices above the fields: of restored entries, and of changes that others have made. */
const Notices = ({ state, startOver }: { readonly state: FormState; readonly startOver: () => void }) => (
  <>
    {state.isRestored && (
      <p class="notice">
        {texts.draftKept}{' '}
        <button type="button" class="quiet" onClick={startOver}>
          {texts.startOver}
        </button>
      </p>
    )}
    {state.isTooLarge && <p class="notice warn">{texts.tooLarge}</p>}
    {state.isStoredAlready && (
      <p class="notice good" role="status">
        {texts.review.alike}
      </p>
    )}
    {state.differences.length > 0 && <Review differences={state.differences} />}
  </>
);

const VariantField = ({ forms, state }: { readonly forms: readonly FormVariant[]; readonly state: FormState }) => (
  <div class="field">
    <label for="variant">{texts.variant}</label>
    <select id="variant" value={state.variant} onChange={(event) => state.setVariant(Number(event.currentTarget.value))}>
      {forms.map(({ label }, at) => (
        <option key={label} value={at}>
          {label}
        </option>
      ))}
    </select>
  </div>
);

interface FieldsProps {
  readonly state: FormState;
  readonly problem: FieldProblem | undefined;
  /** Called when something is entered. */
  readonly entered: () => void;
}

/** The fields that most people fill in, and the others in a collapsed section. */
const Fields = ({ state: { fields, shown, enter }, problem, entered }: FieldsProps) => {
  const input = (field: FormField) => (
    <Field
      key={field.name}
      field={field}
      shown={partOf(shown, field)}
      change={(value) => {
        entered();
        enter(field.name, value);
      }}
      path={field.name}
      problem={problem}
    />
  );
  const first = fields.filter((field) => field.isRequired || PROMINENT.includes(field.name));
  const others = fields.filter((field) => !first.includes(field));
  return (
    <>
      {first.map(input)}
      {others.length > 0 && (
        <details open={first.length === 0} onInvalidCapture={(event) => (event.currentTarget.open = true)}>
          <summary>{texts.optionalFields}</summary>
          {others.map(input)}
        </details>
      )}
    </>
  );
};

/** Kinds whose changes may grant or revoke access. Their effect is shown before they are saved. */
const AFFECTING_ACCESS = [
  'identities',
  'services',
  'servicePolicies',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
  'postureChecks',
  'edgeRouters',
  'policyTests',
];

/** Optional fields that most people fill in. */
const PROMINENT = [
  'name',
  'roleAttributes',
  'identityRoles',
  'serviceRoles',
  'edgeRouterRoles',
  'postureCheckRoles',
  'semantic',
  'enrollment',
];

/** Shows the field that an error is about. */
const goToField = (path: string | undefined): void => {
  const field = path === undefined ? null : document.getElementById(idOf(path));
  const details = field?.closest('details');
  if (details) details.open = true;
  (field?.querySelector<HTMLElement>('[aria-invalid]') ?? field)?.focus();
};

/** The request body of a creation. The field `isAdmin` is required, and only administrators write another value. */
const bodyOf = (group: string, { fields, shown }: FormState): Record<string, unknown> => ({
  ...(group === 'identities' ? { isAdmin: false } : {}),
  ...bodyIn(fields, shown),
});

interface EntityChange {
  readonly verb: 'patch' | 'replace';
  readonly body: Readonly<Record<string, unknown>>;
  /** Applies the change only to the version that the entries were compared with. */
  readonly condition: { readonly ifVersion?: number };
}

/**
 * The request of a change: the fields that differ or, if one of them is emptied that a change in part cannot empty, all fields. Fields that
 * the form hides have their stored values.
 * @throws FieldInvalid
 */
const changeOf = (
  session: Session,
  group: string,
  entity: Entity,
  { fields, shown, stored, version, variant }: FormState,
): EntityChange => {
  const condition = version === undefined ? {} : { ifVersion: version };
  const mayReplace = version !== undefined && session.mayOn(group, 'replace', entity);
  if (!emptiesAny(fields, shown, stored) || !mayReplace) return { verb: 'patch', body: changesIn(fields, shown, stored), condition };
  const all = wholeFormsOf(session, group, 'replace', entity)[variant]?.fields ?? fields;
  const whole = Object.fromEntries(all.map((field) => [field.name, toFormValue(field, entity[field.name])]));
  return { verb: 'replace', body: bodyIn(all, { ...whole, ...shown }), condition };
};

/** @returns false if there is nothing to save */
const saveChange = async (group: string, id: string, { verb, body, condition }: EntityChange, options: object): Promise<boolean> => {
  if (Object.keys(body).length === 0) return false;
  await entityApi(group)[verb]({ id, body }, { ...options, ...condition });
  return true;
};

const saveNew = async (session: Session, kind: KindView, body: object, options: object): Promise<string> => {
  const { group, singular } = kind;
  const { id, ...others } = await entityApi(group).create({ body }, options);
  const secrets = Object.fromEntries(Object.entries(others).filter(([name]) => name !== '_links'));
  flash.set({
    text: texts.created(singular),
    at: hrefOf(['entities', group, id]),
    undo: await undoOfCreation(session, kind, id),
    ...(Object.keys(secrets).length > 0 ? { secrets } : {}),
  });
  return id;
};
