import type { ComponentChildren } from 'preact';
import { isShownObject, newOf, partOf, type Shown, type ShownEntry } from '../entered.ts';
import type { FieldProblem } from '../field-problem.ts';
import type { FormField } from '../schema.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import { Group, idOf, ProblemOf, Step, useStep } from './group.tsx';
import { Input, mustBeFilled } from './input.tsx';

interface Props {
  readonly field: FormField;
  readonly shown: Shown;
  readonly change: (shown: Shown) => void;
  /** The names and positions that lead to the field, with dots between them. */
  readonly path: string;
  readonly problem: FieldProblem | undefined;
  readonly label?: string;
  /** What stands at the end of a field that has parts. */
  readonly end?: ComponentChildren;
}

/** A field of a form, by how it is entered: objects, lists and maps have fields of their own. */
export const Field = (props: Props) => {
  const { entry, constant } = props.field;
  if (constant !== undefined) return null;
  if (entry === 'object') return <ObjectField {...props} />;
  return entry === 'list' || entry === 'map' ? <EntriesField {...props} /> : <PlainField {...props} />;
};

const PlainField = ({ field, shown, change, path, problem, label = labelOf(field.name) }: Props) => {
  const { entry, description } = field;
  const id = idOf(path);
  const hint = [description, entry === 'lines' ? texts.onePerLine : entry === 'json' ? texts.asJson : undefined].filter(Boolean).join(' ');
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
      <Input {...{ field, shown, change, id, isInvalid }} describedBy={describedBy || undefined} />
      {entry === 'flag' && caption}
      <ProblemOf path={path} problem={problem} />
      {hint !== '' && (
        <p id={`${id}-hint`} class="muted small">
          {hint}
        </p>
      )}
    </div>
  );
};

const Parts = ({ field, shown, change, path, problem }: Props) => (
  <>
    {field.fields.map((part) => (
      <Field
        key={part.name}
        field={part}
        shown={partOf(shown, part)}
        change={(value) => change({ ...(isShownObject(shown) ? shown : {}), [part.name]: value })}
        path={`${path}.${part.name}`}
        problem={problem}
      />
    ))}
  </>
);

const ObjectField = (props: Props) => {
  const { field, shown, change, path, problem, label = labelOf(field.name), end } = props;
  const { status, step } = useStep();
  const set = (value: Shown): void => {
    change(value);
    step(idOf(path), value === null ? texts.removed(label) : texts.added(label));
  };
  return (
    <Group path={path} problem={problem} legend={label} description={field.description}>
      {shown !== null && <Parts {...props} />}
      {field.isAddable && (
        <Step label={shown === null ? texts.add : texts.remove} about={label} act={() => set(shown === null ? newOf(field) : null)} />
      )}
      {field.isAddable && status}
      {end}
    </Group>
  );
};

const EntriesField = ({ field, shown, change, path, problem, label = labelOf(field.name) }: Props) => {
  const { entry, item, description } = field;
  const { status, step } = useStep();
  const entries: readonly Shown[] = Array.isArray(shown) ? shown : [];
  if (!item) return null;
  const addId = `${idOf(path)}-add`;
  const add = (): void => {
    change([...entries, entry === 'map' ? { key: '', value: newOf(item) } : newOf(item)]);
    const at = `${path}.${entries.length}`;
    step(entry === 'map' ? keyIdOf(at) : idOf(at), texts.added(texts.entry(entries.length + 1)));
  };
  const remove = (at: number): void => {
    change(entries.filter((_, index) => index !== at));
    step(addId, texts.removed(texts.entry(at + 1)));
  };
  return (
    <Group path={path} problem={problem} legend={label} description={description}>
      {entries.map((each, at) => {
        const name = texts.entry(at + 1);
        const end = <Step label={texts.remove} about={`${name}, ${label}`} act={() => remove(at)} />;
        const one = {
          field: item,
          shown: each,
          change: (value: Shown) => change(entries.with(at, value)),
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
      <Step id={addId} label={texts.add} about={label} act={add} />
      {status}
    </Group>
  );
};

const keyIdOf = (path: string): string => `${idOf(path)}-key`;

const MapEntry = ({ field, shown, change, path, problem, label = '', end }: Props) => {
  const { key, value } = shown as ShownEntry; // `EntriesField` and `shownIn` make them
  const setValue = (next: Shown): void => change({ key, value: next });
  const whole = { field, shown: value, change: setValue, path, problem };
  const keyField = (
    <div class="field">
      <label for={keyIdOf(path)}>
        {texts.key} <span class="muted small">({texts.required})</span>
      </label>
      <input
        id={keyIdOf(path)}
        type="text"
        autocomplete="off"
        required
        value={key}
        onInput={(event) => change({ key: event.currentTarget.value, value })}
      />
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
