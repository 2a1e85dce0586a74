import { useId, useState } from 'preact/hooks';
import { isObject, type JsonObject, type JsonSchema, MAX_EXPANDED, newValue, requiredOf, withProperty } from '../json-schema.ts';
import { texts } from '../texts.ts';
import { EntryButton, useEntryFocus } from './entry-button.tsx';
import { JsonField } from './json-field.tsx';
import { About, type JsonControlProps, useAbout, within } from './json-labelled.tsx';

const t = texts.data;

/** An object by the properties of its schema. One that is not required can be added and removed as a whole. */
export const JsonObjectField = (props: JsonControlProps) => {
  const { root, schema, path, value, change, label, isRequired, depth, end } = props;
  const id = useId();
  const { 'aria-describedby': describedBy } = useAbout(id, props);
  const { status, focusOn } = useEntryFocus();
  const isThere = value !== undefined && value !== null;
  const isExpanded = isThere || (isRequired && depth <= MAX_EXPANDED);
  const set = (next: unknown): void => {
    change(next);
    focusOn(id, next === undefined ? texts.removed(label) : texts.added(label));
  };
  const parts = <Properties {...props} value={isObject(value) ? value : {}} />;
  // The whole value has its heading already.
  if (depth === 0) return parts;
  return (
    <fieldset id={id} tabIndex={-1} aria-describedby={describedBy}>
      <legend>{label}</legend>
      <About id={id} schema={schema} path={path} />
      {isExpanded && parts}
      {!(isRequired && isExpanded) && (
        <>
          <EntryButton
            label={isThere ? texts.remove : texts.add}
            about={label}
            act={() => set(isThere ? undefined : (newValue(root, schema) ?? {}))}
          />
          {status}
        </>
      )}
      {end}
    </fieldset>
  );
};

/** More optional properties than these are shown on request. */
const MAX_OPTIONAL = 12;
/** More than these are edited as JSON. */
const MAX_PROPERTIES = 1000;

const Properties = ({ root, schema, path, value, change, depth }: JsonControlProps & { readonly value: JsonObject }) => {
  const [isOpen, setOpen] = useState(false);
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  const isShown = ([name]: readonly [string, unknown]): boolean => required.includes(name) || Object.hasOwn(value, name);
  const [shownAtFirst] = useState(() => new Set(properties.filter(isShown).map(([name]) => name)));
  const orderOf = (name: string): number => (required.includes(name) ? required.indexOf(name) : required.length);
  const first = properties
    .filter(([name]) => required.includes(name) || shownAtFirst.has(name))
    .toSorted(([one], [other]) => orderOf(one) - orderOf(other));
  const others = properties.filter((property) => !first.includes(property));
  const isShort = first.length === 0 && others.length <= MAX_OPTIONAL;
  const known = new Set(properties.map(([name]) => name));
  const kept = Object.keys(value).filter((name) => !known.has(name));
  const field = ([name, part]: readonly [string, JsonSchema]) => (
    <JsonField
      key={name}
      name={name}
      path={within(path, name)}
      root={root}
      schema={part}
      value={Object.hasOwn(value, name) ? value[name] : undefined}
      change={(next) => change(withConstants(root, schema, withProperty(value, name, next)))}
      isRequired={required.includes(name)}
      depth={depth + 1}
    />
  );
  return (
    <>
      {first.map(field)}
      {isShort && others.map(field)}
      {!isShort && others.length > 0 && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{texts.optionalFields}</summary>
          {isOpen && others.slice(0, MAX_PROPERTIES).map(field)}
          {others.length > MAX_PROPERTIES && <p class="muted small">{t.tooManyProperties(others.length - MAX_PROPERTIES)}</p>}
        </details>
      )}
      {kept.length > 0 && <p class="muted small">{t.kept(kept.join(', '))}</p>}
    </>
  );
};

const propertiesOf = ({ properties }: JsonSchema): readonly (readonly [string, JsonSchema])[] =>
  Object.entries(isObject(properties) ? properties : {}) as readonly (readonly [string, JsonSchema])[];

/** An object with the required properties that have one value only. */
const withConstants = (root: JsonSchema, schema: JsonSchema, value: JsonObject): JsonObject => {
  const { properties = {} } = schema;
  return requiredOf(schema)
    .filter((name) => !Object.hasOwn(value, name) && isObject(properties) && Object.hasOwn(properties, name))
    .reduce((filled, name) => {
      const part = properties[name];
      return isObject(part) && Object.hasOwn(part, 'const') ? withProperty(filled, name, newValue(root, part)) : filled;
    }, value);
};
