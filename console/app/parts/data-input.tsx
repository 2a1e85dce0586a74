import { useContext, useState } from 'preact/hooks';
import { isObject, type JsonSchema } from '../json-schema.ts';
import { useLoaded } from '../loaded.ts';
import { labelOfField } from '../schema.ts';
import { client, session } from '../session.ts';
import { texts } from '../texts.ts';
import { FormValues } from './form-values.ts';
import type { InputProps } from './input.tsx';
import { JsonField } from './json-field.tsx';
import { JsonProblem } from './json-labelled.tsx';
import { jsonIn } from './json-texts.tsx';

const t = texts.data;

/** The schema of a config type; null if it has none, or the session may not read it; undefined while it is unknown. */
const useSchema = (id: string): JsonSchema | null | undefined => {
  const mayRead = session.get()?.may('configTypes', 'get') ?? false;
  const { value, error, isLoading } = useLoaded(`schema ${id}`, async (signal) =>
    id === '' || !mayRead
      ? { id, schema: null }
      : { id, schema: (await client.configTypes.get({ id }, { signal })).schema as JsonSchema | null },
  );
  if (value?.id === id) return value.schema;
  return error !== undefined && !isLoading ? null : undefined;
};

/** JSON that the schema of another entity describes: fields by the schema, and the same value as JSON beside them. */
export const DataInput = (props: InputProps) => {
  const { field, shown, change, id, describedBy, problem, isInvalid, isRequired } = props;
  const text = typeof shown === 'string' ? shown : '';
  const typeId = String(useContext(FormValues)[field.schemaFrom ?? ''] ?? '');
  const schema = useSchema(typeId);
  const [isJsonWanted, setJsonWanted] = useState(false);
  const { isValid: isJson, value = {} } = jsonIn(text);
  const isValid = isJson && isObject(value);
  const isForm = isObject(schema) && isValid && !isJsonWanted;
  return (
    <>
      {isObject(schema) && (
        <fieldset class="views plain" aria-label={t.view}>
          <button type="button" aria-pressed={isForm} disabled={!isValid} onClick={() => setJsonWanted(false)}>
            {t.form}
          </button>
          <button type="button" aria-pressed={!isForm} onClick={() => setJsonWanted(true)}>
            {t.json}
          </button>
        </fieldset>
      )}
      {isForm ? (
        <fieldset id={id} tabIndex={-1} aria-label={labelOfField(field)} aria-describedby={describedBy} class="data">
          <JsonProblem.Provider value={problem}>
            <JsonField
              key={typeId}
              name=""
              path=""
              root={schema}
              schema={schema}
              value={value}
              change={(next) => change(JSON.stringify(next ?? {}, null, 2))}
              isRequired
              depth={0}
            />
          </JsonProblem.Provider>
        </fieldset>
      ) : (
        <textarea
          id={id}
          required={isRequired}
          aria-describedby={describedBy}
          {...(isInvalid ? { 'aria-invalid': true } : {})}
          rows={10}
          spellcheck={false}
          value={text}
          onInput={(event) => {
            setJsonWanted(true);
            change(event.currentTarget.value);
          }}
        />
      )}
      <p class="muted small">{typeId === '' ? t.chooseType : schema === null ? t.noSchema : !isValid ? t.invalid : ''}</p>
    </>
  );
};
