import type { ValueRow } from '../entered.ts';
import type { FormField, ValueType } from '../schema.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';
import { EntryButton, useEntryFocus } from './entry-button.tsx';
import type { FieldProps } from './field.tsx';
import { Group, idOf } from './group.tsx';

const t = texts.values;

/** A map of plain values, such as tags: rows of name, type and value. */
export const ValuesField = ({ field, shown, change, path, problem }: FieldProps) => {
  const { status, focusOn } = useEntryFocus();
  const label = labelOf(field.name);
  const rows = (Array.isArray(shown) ? shown : []) as readonly ValueRow[]; // `toFormValue` and this field make them
  const addId = `${idOf(path)}-add`;
  const add = (): void => {
    change([...rows, { key: '', type: 'string', value: '' }]);
    focusOn(`${idOf(path)}.${rows.length}-key`, texts.added(t.row(rows.length + 1)));
  };
  const remove = (at: number): void => {
    change(rows.filter((_, index) => index !== at));
    focusOn(addId, texts.removed(t.row(at + 1)));
  };
  return (
    <Group path={path} problem={problem} legend={label} description={field.description} about={field.name}>
      {rows.map((row, at) => (
        // Rows have no identity but their position.
        <Row
          key={at}
          id={`${idOf(path)}.${at}`}
          name={t.row(at + 1)}
          about={label}
          row={row}
          field={field}
          change={(next) => change(rows.with(at, next))}
          remove={() => remove(at)}
        />
      ))}
      <EntryButton id={addId} label={texts.add} about={label} act={add} />
      {status}
    </Group>
  );
};

interface RowProps {
  readonly id: string;
  readonly name: string;
  readonly about: string;
  readonly row: ValueRow;
  readonly field: FormField;
  readonly change: (row: ValueRow) => void;
  readonly remove: () => void;
}

const Row = ({ id, name, about, row, field, change, remove }: RowProps) => (
  <fieldset class="row plain" aria-label={name}>
    <div class="field">
      <label for={`${id}-key`}>{t.name}</label>
      <input
        id={`${id}-key`}
        type="text"
        autocomplete="off"
        required
        value={row.key}
        onInput={(event) => change({ ...row, key: event.currentTarget.value })}
      />
    </div>
    <div class="field">
      <label for={`${id}-type`}>{t.type}</label>
      <select
        id={`${id}-type`}
        value={row.type}
        onChange={(event) => {
          const type = event.currentTarget.value as ValueType; // the options have these values
          change({ ...row, type, value: type === 'boolean' ? String(row.value === 'true') : row.value });
        }}
      >
        {field.valueTypes.map((type) => (
          <option key={type} value={type}>
            {t.types[type]}
          </option>
        ))}
      </select>
    </div>
    <RowValue id={`${id}-value`} row={row} change={change} />
    <EntryButton label={texts.remove} about={`${name}, ${about}`} act={remove} />
  </fieldset>
);

const RowValue = ({ id, row, change }: Pick<RowProps, 'id' | 'row' | 'change'>) => {
  const common = {
    id,
    value: row.value,
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => change({ ...row, value: event.currentTarget.value }),
  };
  if (row.type === 'null') return <div class="field" />;
  return (
    <div class="field">
      <label for={id}>{t.value}</label>
      {row.type === 'boolean' ? (
        <select {...common}>
          <option value="true">{texts.yes}</option>
          <option value="false">{texts.no}</option>
        </select>
      ) : row.type === 'json' ? (
        <textarea {...common} rows={3} required spellcheck={false} />
      ) : row.type === 'number' ? (
        <input {...common} type="number" step="any" required />
      ) : (
        <input {...common} type="text" autocomplete="off" />
      )}
    </div>
  );
};
