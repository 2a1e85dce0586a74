/** Schemas of bodies, as forms need them. */

import { remoteOperations } from '../../src/client/operations.ts';
import { type FormSchema, nameOf } from '../descriptions.ts';
import { ADMINISTRATORS_ONLY } from './rights.ts';
import type { Session } from './session.ts';
import { labelOf } from './words.ts';

/** How a field is entered. A `list` has an entry for each value, a `map` one for each name; `json` is for what has no shape. */
export type Entry = 'text' | 'lines' | 'number' | 'flag' | 'choice' | 'json' | 'date' | 'object' | 'list' | 'map';

export interface FormField {
  readonly name: string;
  readonly entry: Entry;
  readonly isRequired: boolean;
  /** True for a required text that may be empty. */
  readonly mayBeEmpty: boolean;
  readonly description: string | undefined;
  readonly choices: readonly string[];
  /** The only value that the field can have: it is sent, and not shown. */
  readonly constant: unknown;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly minItems: number;
  /** True for what a draft must not keep. */
  readonly isSecret: boolean;
  /** The parts of an object. */
  readonly fields: readonly FormField[];
  /** What a list or a map has entries of. */
  readonly item: FormField | undefined;
  /** True for an object that is there only if someone adds it, since some of its parts are required. */
  readonly isAddable: boolean;
  /** True for an object of which a change names only the parts that change. */
  readonly isMerged: boolean;
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

/** What the entries of a list or a map are; undefined if that has no shape. */
const itemOf = ({ items, additionalProperties }: FormSchema): FormSchema | undefined =>
  items ?? (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0 ? additionalProperties : undefined);

const ENTRIES: Readonly<Record<string, Entry>> = { boolean: 'flag', integer: 'number', number: 'number', string: 'text' };

const entryOf = (schemas: Schemas, schema: FormSchema): Entry => {
  if (schema.enum) return 'choice';
  const type = typeOf(schema) ?? '';
  if (type === 'string' && schema.format === 'date-time') return 'date';
  const item = itemOf(schema);
  if (type === 'array' && item) return typeOf(resolved(schemas, item)) === 'string' ? 'lines' : 'list';
  if (type === 'object' && schema.properties) return 'object';
  return ENTRIES[type] ?? (type === 'object' && item ? 'map' : 'json');
};

const SECRET = /password|secret|token/i;
/** Objects deeper than this are entered as JSON. */
const MAX_DEPTH = 8;

/** What is known of a field beside its schema. */
interface Place {
  /** The same field when an entity is created, which says what an entity always has. */
  readonly model: FormSchema;
  /** The value of the field in the entity that is edited. */
  readonly value: unknown;
  /** True if a change may name the field without the others of its object. */
  readonly isPart: boolean;
  readonly depth: number;
}

const fieldOf = (schemas: Schemas, name: string, schema: FormSchema, isRequired: boolean, place: Place): FormField => {
  const plain = notNull(schemas, schema);
  const model = notNull(schemas, place.model);
  const entry = place.depth > MAX_DEPTH ? 'json' : entryOf(schemas, plain);
  const isMerged = entry === 'object' && place.isPart && !plain.required?.length;
  const isThere = typeof place.value === 'object' && place.value !== null;
  const item = entry === 'list' || entry === 'map' ? itemOf(plain) : undefined;
  const inside = { value: undefined, isPart: false, depth: place.depth + 1 };
  return {
    name,
    entry,
    isRequired,
    mayBeEmpty: place.depth > 0 && entry === 'text' && !plain.minLength,
    description: schema.description ?? plain.description,
    choices: (plain.enum ?? []).flatMap((choice) => (choice === null ? [] : [String(choice)])),
    constant: plain.const,
    maxLength: plain.maxLength,
    minimum: plain.minimum,
    maximum: plain.maximum,
    minItems: plain.minItems ?? 0,
    isSecret: entry === 'text' && SECRET.test(name),
    fields: entry === 'object' ? fieldsOf(schemas, plain, { ...inside, model, value: place.value, isPart: isMerged }) : [],
    item: item && fieldOf(schemas, 'value', item, true, { ...inside, model: item }),
    isAddable: entry === 'object' && !isRequired && !!model.required?.length && !(isMerged && isThere),
    isMerged,
  };
};

const fieldsOf = (schemas: Schemas, { properties = {} }: FormSchema, place: Place): readonly FormField[] => {
  const { required = [], properties: models = {} } = place.model;
  return Object.entries(properties)
    .map(([name, schema]) =>
      fieldOf(schemas, name, schema, required.includes(name), {
        ...place,
        model: models[name] ?? schema,
        value: Object(place.value)[name],
      }),
    )
    .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
};

/** The variants of the body of an operation, by name; one without a name if it has no variants. */
const variantsOf = ({ descriptions: { operations, schemas } }: Session, group: string, verb: string): ReadonlyMap<string, FormSchema> => {
  const { body } = operations[remoteOperations[group]?.[verb]?.operationId ?? ''] ?? {};
  if (!body) return new Map();
  const whole = resolved(schemas, body);
  const variants = whole.oneOf ?? whole.anyOf;
  if (!variants) return new Map([['', whole]]);
  return new Map(
    variants.map((variant) => [
      (variant.$ref ? nameOf(variant.$ref) : '').replace(/(Create|Update|Patch)$/, ''),
      resolved(schemas, variant),
    ]),
  );
};

/** What names of variants begin with in common, in whole words. */
const commonStart = (names: readonly string[]): string => {
  const words = names.map((name) => name.match(/[A-Z][a-z]*/g) ?? []);
  const [first = []] = words;
  const count = first.findIndex((word, at) => words.some((others) => others[at] !== word || others.length === at + 1));
  return first.slice(0, Math.max(0, count)).join('');
};

/** The forms of an operation's body, without what the session may not write. */
export const formsOf = (session: Session, group: string, verb: 'create' | 'patch', entity?: object): readonly FormVariant[] => {
  const { identity, descriptions } = session;
  const models = variantsOf(session, group, 'create');
  const variants = variantsOf(session, group, verb);
  const start = commonStart([...variants.keys()]);
  const isHidden = ({ name }: FormField): boolean => group === 'identities' && !identity.isAdmin && ADMINISTRATORS_ONLY.includes(name);
  return [...variants].map(([name, schema]) => ({
    label: labelOf(name.slice(start.length)),
    fields: fieldsOf(descriptions.schemas, schema, {
      model: models.get(name) ?? schema,
      value: entity,
      isPart: entity !== undefined,
      depth: 0,
    }).filter((field) => !isHidden(field)),
  }));
};
