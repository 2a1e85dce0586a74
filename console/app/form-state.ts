import { useEffect, useMemo, useState } from 'preact/hooks';
import { versionOf } from '../../client/index.ts';
import { type Draft, deleteDraft, loadDraft, type OpenedEntity, saveDraft } from './drafts.ts';
import { emptyValue, type FormObject, type FormValue, isSame, partOf, toFormValue, withoutSecrets } from './entered.ts';
import type { Entity } from './kinds.ts';
import { type Choices, type Difference, mergeEntries } from './merge.ts';
import { ADMINISTRATORS_ONLY } from './rights.ts';
import type { FormField, FormVariant } from './schema.ts';

/** The entries of a form, and the stored state that they are compared with. */
export interface FormState {
  readonly fields: readonly FormField[];
  /** The position of the variant that the form has. */
  readonly variant: number;
  readonly shown: FormObject;
  /** The state without the entries. */
  readonly stored: FormObject;
  /** The version of the entity that the entries were compared with; undefined for a new entity. */
  readonly version: number | undefined;
  /** True if the entries are those of an earlier visit. */
  readonly isRestored: boolean;
  /** True if the entries differ from what is stored. */
  readonly isChanged: boolean;
  /** True if the entries are lost by a reload. */
  readonly isTooLarge: boolean;
  /** The changes that others have made since. Until all conflicts are settled, the form cannot be saved. */
  readonly differences: readonly Difference[];
  readonly hasConflicts: boolean;
  /** True if others have made the same changes in the meantime. */
  readonly isStoredAlready: boolean;
  readonly enter: (name: string, value: FormValue) => void;
  /** Enters several values at once. */
  readonly fill: (values: FormObject) => void;
  readonly setVariant: (variant: number) => void;
  readonly settle: (choices: Choices) => void;
  readonly startOver: () => void;
}

/**
 * The state of the form of an entity, kept as a draft in this tab. When the entity has another version than the one that the entries are
 * changes of, they are merged.
 * @param entity as it is stored now; undefined for a new one
 * @param model the entity that a new one begins as a copy of
 */
export const useFormState = (name: string, forms: readonly FormVariant[], entity: Entity | undefined, model = entity): FormState => {
  const kept = useMemo(() => usableDraft(name, entity), []);
  const [draft, setDraft] = useState<Draft | undefined>(() => kept ?? (entity || !model ? undefined : copyOf(forms, model)));
  const [isRestored, setRestored] = useState(kept !== undefined);
  const [isTooLarge, setTooLarge] = useState(false);
  const [merged, setMerged] = useState<readonly Difference[]>();
  const variant = entity ? variantOf(forms, entity) : (draft?.variant ?? 0);
  const fields = forms[variant]?.fields ?? [];
  const stored = useMemo(() => openedOf(fields, entity), [entity, variant]);
  const opened = draft?.opened ?? stored;
  const isOutdated =
    opened.version === undefined ? entity !== undefined && !isSame(opened.shown, stored.shown) : opened.version !== stored.version;
  const versions = { base: opened.shown, theirs: stored.shown, mine: { ...opened.shown, ...draft?.entered } };
  const merge = useMemo(() => mergeEntries(fields, versions), [draft, stored]);
  const hasConflicts = merge.differences.some(({ mine }) => mine !== undefined);

  const set = (next: Draft): void => {
    setDraft(next);
    setTooLarge(!saveDraft(name, keptOf(fields, next)));
  };
  const settle = (choices: Choices): void => {
    const settled = mergeEntries(fields, versions, choices).shown;
    set({ opened: stored, entered: differing(fields, settled, stored.shown) });
    setMerged(hasConflicts ? [] : merge.differences);
  };
  useEffect(() => {
    if (draft && isOutdated && !hasConflicts) settle({});
  }, [draft, stored]);
  const startOver = (): void => {
    deleteDraft(name);
    setDraft(undefined);
    setRestored(false);
    setMerged(undefined);
  };
  const origin = entity ? { opened } : {};
  const fill = (values: FormObject): void => set({ ...draft, ...origin, entered: { ...draft?.entered, ...values } });
  const isChanged = !isSame(merge.shown, stored.shown);
  return {
    fields,
    variant,
    shown: merge.shown,
    stored: stored.shown,
    version: opened.version,
    isRestored,
    isChanged,
    isTooLarge,
    differences: hasConflicts ? merge.differences : (merged ?? []),
    hasConflicts,
    isStoredAlready: merged?.length === 0 && !isChanged,
    enter: (field, value) => fill({ [field]: value }),
    fill,
    setVariant: (chosen) => set({ entered: {}, ...draft, variant: chosen }),
    settle,
    startOver,
  };
};

/** A draft of an edit says what it is an edit of: without that, it might undo what others have changed. */
const usableDraft = (name: string, entity: Entity | undefined): Draft | undefined => {
  const draft = loadDraft(name);
  return entity && !draft?.opened ? undefined : draft;
};

/** A copy has another name, enrolls by itself, and gets rights only from somebody who sees them: they are among the optional fields. */
const NOT_COPIED: readonly string[] = ['name', 'enrollment', ...ADMINISTRATORS_ONLY];

/** The draft of a copy. */
const copyOf = (forms: readonly FormVariant[], model: Entity): Draft => {
  const variant = variantOf(forms, model);
  const fields = (forms[variant]?.fields ?? []).filter(({ name, constant }) => !NOT_COPIED.includes(name) && constant === undefined);
  return { variant, entered: differing(fields, openedOf(fields, model).shown, openedOf(fields, undefined).shown) };
};

const openedOf = (fields: readonly FormField[], entity: Entity | undefined): OpenedEntity => ({
  version: entity && versionOf(entity),
  shown: Object.fromEntries(fields.map((field) => [field.name, entity ? toFormValue(field, entity[field.name]) : emptyValue(field)])),
});

/** The draft without secrets. */
const keptOf = (fields: readonly FormField[], { opened, entered, ...rest }: Draft): Draft => ({
  ...rest,
  ...(opened ? { opened: { ...opened, shown: withoutSecrets(fields, opened.shown) } } : {}),
  entered: withoutSecrets(fields, entered),
});

const differing = (fields: readonly FormField[], shown: FormObject, stored: FormObject): FormObject =>
  Object.fromEntries(
    fields.flatMap((field): [string, FormValue][] => {
      const value = partOf(shown, field);
      return isSame(value, partOf(stored, field)) ? [] : [[field.name, value]];
    }),
  );

/** The form that has the fields of an entity: of those that can have its values, the one with the most of them. */
const variantOf = (forms: readonly FormVariant[], entity: Entity): number => {
  const fits = forms.map(({ fields }) =>
    fields.some(({ name, constant }) => constant !== undefined && constant !== entity[name])
      ? -1
      : fields.filter(({ name }) => entity[name] !== undefined).length,
  );
  return Math.max(0, fits.indexOf(Math.max(...fits)));
};
