/** Schemas of bodies, as forms need them. */

import { remoteOperations } from '../../src/client/operations.ts';
import { type FormSchema, nameOf } from '../descriptions.ts';
import { ADMINISTRATORS_ONLY } from './rights.ts';
import type { Session } from './session.ts';

/** How a field is entered. */
export type Entry = 'text' | 'lines' | 'number' | 'flag' | 'choice' | 'json' | 'date';

export interface FormField {
  readonly name: string;
  readonly entry: Entry;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  readonly choices: readonly string[];
  readonly maxLength: number | undefined;
  /** True for what a draft must not keep. */
  readonly isSecret: boolean;
}

/** One form of a body: kinds with variants, such as posture checks, have several. */
export interface FormVariant {
  readonly label: string;
  readonly fields: readonly FormField[];
}

type Schemas = Session['descriptions']['schemas'];

const resolved = (schemas: Schemas, schema: FormSchema): FormSchema => {
  const target = schema.$ref === undefined ? undefined : schemas[nameOf(schema.$ref)];
  return target ? resolved(schemas, target) : schema;
};

/** A schema without the alternative `null`. */
const notNull = (schemas: Schemas, schema: FormSchema): FormSchema => {
  const { anyOf, ...rest } = resolved(schemas, schema);
  const others = anyOf?.filter(({ type }) => type !== 'null');
  const [only] = others ?? [];
  return only && others?.length === 1 ? { ...resolved(schemas, only), ...rest } : resolved(schemas, schema);
};

const typeOf = ({ type }: FormSchema): string | undefined => (typeof type === 'string' ? type : type?.find((each) => each !== 'null'));

const entryOf = (schemas: Schemas, schema: FormSchema): Entry => {
  if (schema.enum) return 'choice';
  const type = typeOf(schema);
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return schema.format === 'date-time' ? 'date' : 'text';
  if (type === 'array' && schema.items && typeOf(resolved(schemas, schema.items)) === 'string') return 'lines';
  return 'json';
};

const SECRET = /password|secret|token/i;

const fieldsOf = (schemas: Schemas, { properties = {}, required = [] }: FormSchema): readonly FormField[] =>
  Object.entries(properties)
    .map(([name, schema]): FormField => {
      const plain = notNull(schemas, schema);
      return {
        name,
        entry: entryOf(schemas, plain),
        isRequired: required.includes(name),
        description: schema.description ?? plain.description,
        choices: (plain.enum ?? []).flatMap((choice) => (choice === null ? [] : [String(choice)])),
        maxLength: plain.maxLength,
        isSecret: SECRET.test(name),
      };
    })
    .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));

/** The forms of an operation's body, without what the session may not write. */
export const formsOf = (
  { identity, descriptions: { operations, schemas } }: Session,
  group: string,
  verb: string,
): readonly FormVariant[] => {
  const operationId = remoteOperations[group]?.[verb]?.operationId ?? '';
  const { body } = operations[operationId] ?? {};
  if (!body) return [];
  const whole = resolved(schemas, body);
  const isHidden = ({ name }: FormField): boolean => group === 'identities' && !identity.isAdmin && ADMINISTRATORS_ONLY.includes(name);
  const variants = whole.oneOf ?? whole.anyOf;
  if (!variants) return [{ label: '', fields: fieldsOf(schemas, whole).filter((field) => !isHidden(field)) }];
  return variants.map((variant) => ({
    label: (variant.$ref ? nameOf(variant.$ref) : '').replace(/(Create|Update|Patch)$/, ''),
    fields: fieldsOf(schemas, resolved(schemas, variant)),
  }));
};

/** The form of a value in an input. */
export const shownIn = ({ entry }: FormField, value: unknown): string | boolean => {
  if (entry === 'flag') return value === true;
  if (value === null || value === undefined) return '';
  if (entry === 'lines') return Array.isArray(value) ? value.join('\n') : '';
  return entry === 'json' ? JSON.stringify(value, null, 2) : String(value);
};

/** A field whose text is no value. */
export class FieldInvalid extends Error {}

/**
 * The value that stands in a form; undefined for an empty field.
 * @throws FieldInvalid
 */
export const valueIn = ({ entry, name }: FormField, shown: string | boolean | undefined, notJson: (field: string) => string): unknown => {
  if (shown === undefined || typeof shown === 'boolean') return shown;
  const text = shown.trim();
  if (entry === 'lines')
    return text === ''
      ? []
      : text
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean);
  if (text === '') return undefined;
  if (entry === 'number') return Number(text);
  if (entry !== 'json') return shown;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FieldInvalid(notJson(name));
  }
};
