import { useEffect, useState } from 'preact/hooks';
import { type Preview, versionOf } from '../../../src/client/index.ts';
import { type Draft, draftOf, dropDraft, keepDraft } from '../drafts.ts';
import { bodyIn, changesIn, emptyOf, partOf, type Shown, type ShownObject, shownIn, withoutSecrets } from '../entered.ts';
import { fieldProblem } from '../field-problem.ts';
import { type Entity, entityApi, type KindView, previewOf, titleOf } from '../kinds.ts';
import { useLoaded } from '../loaded.ts';
import { ChangeDialog, type ChangeOptions, type PreviewOptions } from '../parts/change-dialog.tsx';
import { Field } from '../parts/field.tsx';
import { flash } from '../parts/flash.tsx';
import { idOf } from '../parts/group.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { goTo, hrefOf } from '../router.ts';
import { type FormField, type FormVariant, formsOf } from '../schema.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

interface Props {
  readonly session: Session;
  readonly kind: KindView;
  /** The entity to edit; undefined to create one. */
  readonly id?: string;
}

/** A form to create or edit an entity, made from the schema of the operation. */
export const EntityForm = ({ session, kind, id }: Props) => {
  const { group } = kind;
  const { value, error, reload } = useLoaded(`form ${group}/${id}`, async (signal) =>
    id === undefined ? undefined : entityApi(group).get({ id }, { signal }),
  );
  const title = id === undefined ? texts.newOne(kind.one) : texts.editTitle(value ? titleOf(value) : '');
  if (error !== undefined)
    return (
      <>
        <Heading text={title} />
        <Problem error={error} retry={reload} />
      </>
    );
  if (id !== undefined && !value) return <p>{texts.loading}</p>;
  return (
    <>
      <p class="crumb">
        <a href={hrefOf(['entities', group])}>{kind.label}</a>
      </p>
      <Heading text={title} />
      <Form session={session} kind={kind} entity={value} />
    </>
  );
};

interface FormProps {
  readonly session: Session;
  readonly kind: KindView;
  readonly entity: Entity | undefined;
}

const Form = ({ session, kind, entity }: FormProps) => {
  const { group } = kind;
  const draftName = `${group}/${entity?.id ?? 'new'}`;
  const [draft, setDraft] = useState<Draft | undefined>(() => draftOf(draftName));
  const [hadDraft, setHadDraft] = useState(draft !== undefined);
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const forms = formsOf(session, group, entity ? 'patch' : 'create', entity);
  const index = entity ? variantOf(forms, entity) : Number(draft?.['variant'] ?? 0);
  const fields = forms[index]?.fields ?? [];
  const entered = (draft?.['shown'] ?? {}) as ShownObject; // `change` put it there
  const original: ShownObject = Object.fromEntries(
    fields.map((field) => [field.name, entity ? shownIn(field, entity[field.name]) : emptyOf(field)]),
  );
  const shown: ShownObject = { ...original, ...entered };
  const problem = error === undefined ? undefined : fieldProblem(fields, shown, error);
  useEffect(() => goToField(problem?.path), [error]);

  const change = (changes: Draft): void => {
    const next = { ...draft, ...changes };
    setDraft(next);
    setError(undefined);
    keepDraft(draftName, { ...next, shown: withoutSecrets(fields, (changes['shown'] ?? entered) as ShownObject) }); // as above
  };
  const startOver = (): void => {
    dropDraft(draftName);
    setDraft(undefined);
    setHadDraft(false);
    setError(undefined);
  };
  // The field is required, and only administrators write another value.
  const given = group === 'identities' && !entity ? { isAdmin: false } : {};
  const bodyOf = (): Record<string, unknown> => (entity ? changesIn(fields, shown, original) : { ...given, ...bodyIn(fields, shown) });
  const carryOut = async (options: ChangeOptions): Promise<void> => {
    const id = entity ? await saveChanges(group, entity, bodyOf(), options) : await saveNew(kind, bodyOf(), options);
    dropDraft(draftName);
    goTo(hrefOf(['entities', group, id]), true);
  };
  const preview = (options: PreviewOptions): Promise<Preview<unknown>> =>
    entity ? previewOf(group).patch({ id: entity.id, body: bodyOf() }, options) : previewOf(group).create({ body: bodyOf() }, options);
  const reason = String(draft?.['reason'] ?? '').trim();
  const save = async (): Promise<void> => {
    setError(undefined);
    try {
      const isUnchanged = Object.keys(bodyOf()).length === 0;
      if (CHANGING_ACCESS.includes(group) && !isUnchanged) return setAsked(true);
      setSaving(true);
      await carryOut(reason ? { reason } : {});
    } catch (failure) {
      setError(failure);
      setSaving(false);
    }
  };
  const input = (field: FormField) => (
    <Field
      key={field.name}
      field={field}
      shown={partOf(shown, field)}
      change={(value: Shown) => change({ shown: { ...entered, [field.name]: value } })}
      path={field.name}
      problem={problem}
    />
  );
  const first = fields.filter((field) => field.isRequired || PROMINENT.includes(field.name));
  const rest = fields.filter((field) => !first.includes(field));
  return (
    <form
      class="entity"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {hadDraft && (
        <p class="notice">
          {texts.draftKept}{' '}
          <button type="button" class="quiet" onClick={startOver}>
            {texts.discard}
          </button>
        </p>
      )}
      {forms.length > 1 && !entity && (
        <div class="field">
          <label for="variant">{texts.variant}</label>
          <select id="variant" value={index} onChange={(event) => change({ variant: Number(event.currentTarget.value), shown: entered })}>
            {forms.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        </div>
      )}
      {first.map(input)}
      {rest.length > 0 && (
        <details open={first.length === 0} onInvalidCapture={(event) => (event.currentTarget.open = true)}>
          <summary>{texts.optionalFields}</summary>
          {rest.map(input)}
        </details>
      )}
      {!CHANGING_ACCESS.includes(group) && (
        <div class="field">
          <label for="reason">{texts.reason}</label>
          <input
            id="reason"
            type="text"
            maxLength={1000}
            aria-describedby="reason-hint"
            value={String(draft?.['reason'] ?? '')}
            onInput={(event) => change({ reason: event.currentTarget.value })}
          />
          <p id="reason-hint" class="muted small">
            {texts.reasonHint}
          </p>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
      <div class="actions">
        <button type="submit" class="primary" disabled={isSaving}>
          {isSaving ? texts.saving : texts.save}
        </button>
        <a
          class="button"
          href={entity ? hrefOf(['entities', group, entity.id]) : hrefOf(['entities', group])}
          onClick={() => dropDraft(draftName)}
        >
          {texts.cancel}
        </a>
      </div>
      {isAsked && (
        <ChangeDialog
          title={entity ? texts.saveTitle(titleOf(entity)) : texts.newOne(kind.one)}
          action={texts.save}
          reason={reason}
          preview={preview}
          carryOut={carryOut}
          refused={(failure) => {
            if (!fieldProblem(fields, shown, failure)) return false;
            setError(failure);
            return true;
          }}
          close={() => setAsked(false)}
        />
      )}
    </form>
  );
};

/** The kinds whose changes may give or take access: they show it before they are saved. */
const CHANGING_ACCESS = [
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

/** The form that has the fields of an entity: of those that can have its values, the one with the most of them. */
const variantOf = (forms: readonly FormVariant[], entity: Entity): number => {
  const fits = forms.map(({ fields }) =>
    fields.some(({ name, constant }) => constant !== undefined && constant !== entity[name])
      ? -1
      : fields.filter(({ name }) => entity[name] !== undefined).length,
  );
  return Math.max(0, fits.indexOf(Math.max(...fits)));
};

/** Shows the field that an error is about. */
const goToField = (path: string | undefined): void => {
  const field = path === undefined ? null : document.getElementById(idOf(path));
  const details = field?.closest('details');
  if (details) details.open = true;
  field?.focus();
};

const saveChanges = async (group: string, entity: Entity, body: object, options: object): Promise<string> => {
  if (Object.keys(body).length > 0) {
    const version = versionOf(entity);
    await entityApi(group).patch({ id: entity.id, body }, { ...options, ...(version === undefined ? {} : { ifVersion: version }) });
    flash.set({ text: texts.saved, at: hrefOf(['entities', group, entity.id]) });
  }
  return entity.id;
};

const saveNew = async ({ group, one }: KindView, body: object, options: object): Promise<string> => {
  const { id, ...others } = await entityApi(group).create({ body }, options);
  const secrets = Object.fromEntries(Object.entries(others).filter(([name]) => name !== '_links'));
  flash.set({ text: texts.created(one), at: hrefOf(['entities', group, id]), ...(Object.keys(secrets).length > 0 ? { secrets } : {}) });
  return id;
};
