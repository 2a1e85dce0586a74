/** Schemas of bodies, as forms need them. */

import { remoteOperations } from '../../client/operations.ts';
import { type FormSchema, nameOf } from '../descriptions.ts';
import { groupOfCollection } from './kinds.ts';
import { ADMINISTRATORS_ONLY } from './rights.ts';
import type { Session } from './session.ts';
import { texts } from './texts.ts';
import { labelOf } from './words.ts';

/**
 * The control with which a field is entered. A `list` has an entry for each value, a `map` one for each name, `values` are a map of plain
 * values. `reference` and `references` are ids, which are shown as names; `attributes` are role attributes, `selectors` the role array of a
 * policy. `data` is JSON that the schema of another entity describes; `json` is for what has no shape.
 */
export type Entry =
  | 'text'
  | 'lines'
  | 'number'
  | 'flag'
  | 'choice'
  | 'json'
  | 'date'
  | 'object'
  | 'list'
  | 'map'
  | 'values'
  | 'reference'
  | 'references'
  | 'attributes'
  | 'selectors'
  | 'data';

/** Entries whose value is a list of texts. */
const TEXT_LISTS: readonly Entry[] = ['references', 'attributes', 'selectors'];
export const isTextList = (entry: Entry): boolean => TEXT_LISTS.includes(entry);

/** A type of the plain values in a map. `json` stands for lists and objects. */
export type ValueType = 'string' | 'number' | 'boolean' | 'null' | 'json';

export interface FormField {
  readonly name: string;
  readonly entry: Entry;
  readonly isRequired: boolean;
  /** True for a required text that may be empty. */
  readonly mayBeEmpty: boolean;
  readonly description: string | undefined;
  readonly choices: readonly string[];
  /** Texts of the choices. Default: the choices. */
  readonly choiceTexts?: Readonly<Record<string, string>>;
  /** The only value that the field can have: it is sent, and not shown. */
  readonly constant: unknown;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly minItems: number;
  /** True if a draft must not keep the value. */
  readonly isSecret: boolean;
  /** The parts of an object. */
  readonly fields: readonly FormField[];
  /** The entries of a list or a map. */
  readonly item: FormField | undefined;
  /** True for an object that is there only if someone adds it, since some of its parts are required. */
  readonly isAddable: boolean;
  /** True for an object of which a change names only the parts that change. */
  readonly isMerged: boolean;
  /** The group of the entities that the value names, or that the names of a map name. */
  readonly target: string | undefined;
  /** The types that the values of a map of plain values may have. */
  readonly valueTypes: readonly ValueType[];
  /** The field with the id of the entity whose schema describes the value. */
  readonly schemaFrom: string | undefined;
  /** The state of the untouched field, if it is not empty. */
  readonly initial?: string | boolean | readonly string[];
}

/** The name of a field for people. What refers to an entity is shown by its name. */
export const labelOfField = ({ name, entry }: FormField): string => labelOf(entry === 'reference' ? name.replace(/Id$/, '') : name);

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

/** The field of the entries of a list or a map; undefined if they have no fixed shape. */
const itemOf = ({ items, additionalProperties }: FormSchema): FormSchema | undefined =>
  items ?? (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0 ? additionalProperties : undefined);

const ENTRIES: Readonly<Record<string, Entry>> = { boolean: 'flag', integer: 'number', number: 'number', string: 'text' };

const entryOf = (schemas: Schemas, schema: FormSchema, refersTo: FormSchema['x-refers-to']): Entry => {
  if (schema.enum) return 'choice';
  const type = typeOf(schema) ?? '';
  if (refersTo && refersTo.in !== 'keys')
    return type === 'string' ? 'reference' : refersTo.by === 'id' ? 'references' : refersTo.by === 'attribute' ? 'attributes' : 'selectors';
  if (schema['x-schema-from'] !== undefined) return 'data';
  if (type === 'string' && schema.format === 'date-time') return 'date';
  const item = itemOf(schema);
  if (type === 'array' && item) return typeOf(resolved(schemas, item)) === 'string' ? 'lines' : 'list';
  if (type === 'object' && schema.properties) return 'object';
  if (type === 'object' && valueTypesOf(schema).length > 0) return 'values';
  return ENTRIES[type] ?? (type === 'object' && item ? 'map' : 'json');
};

/** The types of the values of a map whose values are not all of one form; none for any other schema. */
const valueTypesOf = ({ type, properties, additionalProperties }: FormSchema): readonly ValueType[] => {
  if (type !== 'object' || properties || typeof additionalProperties !== 'object') return [];
  const types = additionalProperties.type;
  if (Object.keys(additionalProperties).length === 0) return VALUE_TYPES;
  return Array.isArray(types) && types.length > 2 ? VALUE_TYPES.filter((each) => types.includes(each)) : [];
};

const VALUE_TYPES: readonly ValueType[] = ['string', 'number', 'boolean', 'null', 'json'];

const SECRET = /password|secret|token/i;
/** Objects deeper than this are entered as JSON. */
const MAX_DEPTH = 8;

/** Facts about a field beside its schema. */
interface Place {
  /** The same field when an entity is created, which says what an entity always has. */
  readonly model: FormSchema;
  /** The value of the field in the entity that is edited. */
  readonly value: unknown;
  /** True if a change may name the field without the others of its object. */
  readonly isPart: boolean;
  readonly depth: number;
}

/** A description of the OpenAPI document, in the language of the page. */
const translated = (description: string | undefined): string | undefined =>
  description === undefined ? undefined : (texts.descriptions[description] ?? description);

const fieldOf = (schemas: Schemas, name: string, schema: FormSchema, isRequired: boolean, place: Place): FormField => {
  const plain = notNull(schemas, schema);
  const model = notNull(schemas, place.model);
  const refersTo = schema['x-refers-to'] ?? plain['x-refers-to'];
  const entry = place.depth > MAX_DEPTH ? 'json' : entryOf(schemas, plain, refersTo);
  const isMerged = entry === 'object' && place.isPart && !plain.required?.length;
  const isThere = typeof place.value === 'object' && place.value !== null;
  const item = entry === 'list' || entry === 'map' ? itemOf(plain) : undefined;
  const inside = { value: undefined, isPart: false, depth: place.depth + 1 };
  return {
    name,
    entry,
    isRequired,
    mayBeEmpty: place.depth > 0 && entry === 'text' && !plain.minLength,
    description: translated(schema.description ?? plain.description),
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
    target: refersTo && (refersTo.in !== 'keys' || refersTo.by === 'id') ? groupOfCollection(refersTo.collection) : undefined,
    valueTypes: entry === 'values' ? valueTypesOf(plain) : [],
    schemaFrom: plain['x-schema-from'],
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

/** The reference of a field of the entities of a group; undefined if it refers to nothing. */
export const referenceOf = (session: Session, group: string, name: string): FormSchema['x-refers-to'] => {
  for (const { properties = {} } of variantsOf(session, group, 'create').values())
    if (Object.hasOwn(properties, name)) return properties[name]?.['x-refers-to'];
  return undefined;
};

/** The common prefix of the names of variants, in whole words. */
const commonStart = (names: readonly string[]): string => {
  const words = names.map((name) => name.match(/[A-Z][a-z]*/g) ?? []);
  const [first = []] = words;
  const count = first.findIndex((word, at) => words.some((others) => others[at] !== word || others.length === at + 1));
  return first.slice(0, Math.max(0, count)).join('');
};

/** The fields of the body of an operation that has no variants. */
export const bodyFieldsOf = (session: Session, group: string, verb: string): readonly FormField[] => {
  const body = variantsOf(session, group, verb).get('') ?? {};
  return fieldsOf(session.descriptions.schemas, body, { model: body, value: undefined, isPart: false, depth: 0 });
};

/** The forms of an operation's body, without what the session may not write. */
export const formsOf = (session: Session, group: string, verb: 'create' | 'patch', entity?: object): readonly FormVariant[] => {
  const isHidden = ({ name }: FormField): boolean =>
    group === 'identities' && !session.identity.isAdmin && ADMINISTRATORS_ONLY.includes(name);
  return wholeFormsOf(session, group, verb, entity).map(({ label, fields }) => ({
    label,
    fields: fields.filter((field) => !isHidden(field)),
  }));
};

/** The forms of an operation's body, with all fields. */
export const wholeFormsOf = (
  session: Session,
  group: string,
  verb: 'create' | 'patch' | 'replace',
  entity?: object,
): readonly FormVariant[] => {
  const { schemas } = session.descriptions;
  const models = variantsOf(session, group, 'create');
  const variants = variantsOf(session, group, verb);
  const start = commonStart([...variants.keys()]);
  return [...variants].map(([name, schema]) => ({
    label: labelOf(name.slice(start.length)),
    fields: fieldsOf(schemas, schema, { model: models.get(name) ?? schema, value: entity, isPart: verb === 'patch', depth: 0 }),
  }));
};
