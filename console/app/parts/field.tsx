import type { ComponentChildren } from 'preact';
import { type FormEntry, type FormValue, initialValue, isFormObject, partOf } from '../entered.ts';
import type { FieldProblem } from '../field-problem.ts';
import { kindOf } from '../kinds.ts';
import { type FormField, labelOfField } from '../schema.ts';
import { texts } from '../texts.ts';
import { capitalised, labelOf } from '../words.ts';
import { EntryButton, useEntryFocus } from './entry-button.tsx';
import { Group, idOf, ProblemOf } from './group.tsx';
import { GuideLink } from './guide.tsx';
import { Input, mustBeFilled } from './input.tsx';
import { ReferenceInput } from './reference-input.tsx';
import { ValuesField } from './values-field.tsx';

export interface FieldProps {
  readonly field: FormField;
  readonly shown: FormValue;
  readonly change: (shown: FormValue) => void;
  /** The names and positions that lead to the field, with dots between them. */
  readonly path: string;
  readonly problem: FieldProblem | undefined;
  readonly label?: string;
  /** Controls at the end of a field with parts. */
  readonly end?: ComponentChildren;
}

/** A field of a form, by how it is entered: objects, lists and maps have fields of their own. */
export const Field = (props: FieldProps) => {
  const { entry, constant } = props.field;
  if (constant !== undefined) return null;
  if (entry === 'object') return <ObjectField {...props} />;
  if (entry === 'values') return <ValuesField {...props} />;
  return entry === 'list' || entry === 'map' ? <EntriesField {...props} /> : <PlainField {...props} />;
};

const PlainField = ({ field, shown, change, path, problem, label = labelOfField(field) }: FieldProps) => {
  const { entry, description } = field;
  const id = idOf(path);
  // The field of a role array says itself what it takes.
  const hint = [
    entry === 'selectors' ? undefined : description,
    entry === 'lines' ? texts.onePerLine : entry === 'json' ? texts.asJson : undefined,
  ]
    .filter(Boolean)
    .join(' ');
  const isInvalid = problem?.path === path;
  const describedBy = [isInvalid && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const caption = (
    <label for={id}>
      {label} {mustBeFilled(field) && <span class="muted small">({texts.required})</span>}
    </label>
  );
  return (
    <div class={entry === 'flag' ? 'field flagged' : 'field'}>
      {entry !== 'flag' && caption}
      <Input
        {...{ field, shown, change, id, isInvalid }}
        problem={isInvalid ? problem : undefined}
        isRequired={mustBeFilled(field)}
        describedBy={describedBy || undefined}
      />
      {entry === 'flag' && caption}
      <ProblemOf path={path} problem={problem} />
      {hint !== '' && (
        <p id={`${id}-hint`} class="muted small">
          {hint}
        </p>
      )}
      <GuideLink field={field.name} />
    </div>
  );
};

const Parts = ({ field, shown, change, path, problem }: FieldProps) => (
  <>
    {field.fields.map((part) => (
      <Field
        key={part.name}
        field={part}
        shown={partOf(shown, part)}
        change={(value) => change({ ...(isFormObject(shown) ? shown : {}), [part.name]: value })}
        path={`${path}.${part.name}`}
        problem={problem}
      />
    ))}
  </>
);

const ObjectField = (props: FieldProps) => {
  const { field, shown, change, path, problem, label = labelOf(field.name), end } = props;
  const { status, focusOn } = useEntryFocus();
  const set = (value: FormValue): void => {
    change(value);
    focusOn(idOf(path), value === null ? texts.removed(label) : texts.added(label));
  };
  return (
    <Group path={path} problem={problem} legend={label} description={field.description} about={field.name}>
      {shown !== null && <Parts {...props} />}
      {field.isAddable && (
        <EntryButton
          label={shown === null ? texts.add : texts.remove}
          about={label}
          act={() => set(shown === null ? initialValue(field) : null)}
        />
      )}
      {field.isAddable && status}
      {end}
    </Group>
  );
};

const EntriesField = ({ field, shown, change, path, problem, label = labelOf(field.name) }: FieldProps) => {
  const { entry, item, description } = field;
  const { status, focusOn } = useEntryFocus();
  const entries: readonly FormValue[] = Array.isArray(shown) ? shown : [];
  if (!item) return null;
  const addId = `${idOf(path)}-add`;
  const add = (): void => {
    change([...entries, entry === 'map' ? { key: '', value: initialValue(item) } : initialValue(item)]);
    const at = `${path}.${entries.length}`;
    focusOn(entry === 'map' ? keyIdOf(at) : idOf(at), texts.added(texts.entry(entries.length + 1)));
  };
  const remove = (at: number): void => {
    change(entries.filter((_, index) => index !== at));
    focusOn(addId, texts.removed(texts.entry(at + 1)));
  };
  return (
    <Group path={path} problem={problem} legend={label} description={description} about={field.name}>
      {entries.map((each, at) => {
        const name = texts.entry(at + 1);
        const end = <EntryButton label={texts.remove} about={`${name}, ${label}`} act={() => remove(at)} />;
        const one = {
          keysOf: field.target,
          field: item,
          shown: each,
          change: (value: FormValue) => change(entries.with(at, value)),
          path: `${path}.${at}`,
          problem,
          label: name,
          end,
        };
        return (
          // Entries have no identity but their position.
          <div key={at} class="entry">
            {entry === 'map' ? <MapEntry {...one} /> : <Field {...one} />}
            {entry === 'list' && item.entry !== 'object' && end}
          </div>
        );
      })}
      <EntryButton id={addId} label={texts.add} about={label} act={add} />
      {status}
    </Group>
  );
};

const keyIdOf = (path: string): string => `${idOf(path)}-key`;

const MapEntry = ({
  field,
  keysOf,
  shown,
  change,
  path,
  problem,
  label = '',
  end,
}: FieldProps & { readonly keysOf: string | undefined }) => {
  const { key, value } = shown as FormEntry; // `EntriesField` and `toFormValue` make them
  const setValue = (next: FormValue): void => change({ key, value: next });
  const whole = { field, shown: value, change: setValue, path, problem };
  const keyInput = { id: keyIdOf(path), isInvalid: false, describedBy: undefined };
  const keyLabel = keysOf === undefined ? texts.key : capitalised(kindOf(keysOf)?.singular ?? texts.key);
  const setKey = (next: FormValue): void => change({ key: String(next), value });
  const keyField = (
    <div class="field">
      <label for={keyIdOf(path)}>
        {keyLabel} <span class="muted small">({texts.required})</span>
      </label>
      {keysOf === undefined ? (
        <input
          id={keyInput.id}
          type="text"
          autocomplete="off"
          required
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
      ) : (
        <ReferenceInput {...keyInput} field={field} label={keyLabel} group={keysOf} shown={key} change={setKey} isRequired />
      )}
    </div>
  );
  if (field.entry !== 'object')
    return (
      <fieldset>
        <legend>{label}</legend>
        {keyField}
        <Field {...whole} />
        {end}
      </fieldset>
    );
  return (
    <Group path={path} problem={problem} legend={label}>
      {keyField}
      <Parts {...whole} />
      {end}
    </Group>
  );
};
