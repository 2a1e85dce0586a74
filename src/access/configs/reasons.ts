import type { SchemaFault } from './fault.ts';

const MAX_LENGTH = 64;
const MAX_NAMES = 200;

/** Finds the most similar name: at most a third of its letters, and at most two, differ. The time is bounded for any input. */
const closestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = 3;
  for (const candidate of known.slice(0, MAX_NAMES)) {
    if (candidate.length > MAX_LENGTH || Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance && distance * 3 <= candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
};

/** The edit distance between two texts: insertions, deletions, substitutions and swaps of neighbours (restricted Damerau-Levenshtein). */
const edits = (a: string, b: string): number => {
  let previousRow: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      const swapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j] ? (previousRow[j - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, changed, swapped));
    }
    previousRow = row;
    row = next;
  }
  return row[b.length] ?? 0;
};

const MAX_SHOWN = 100;

/** The reason as text: the keyword and what it expects. Values of the data are not shown, because they may be secret. */
export const schemaReason = (error: SchemaFault): string => {
  const { keyword, propertyName } = error;
  const reason = REASONS[keyword]?.(error) ?? 'does not match the schema';
  const subject = propertyName === undefined ? '' : `property name ${quote(propertyName)}: `;
  return `${subject}${keyword === 'false schema' ? 'false' : keyword}: ${reason}`;
};

type Reason = (error: SchemaFault) => string;
const atLeast =
  (what: string): Reason =>
  ({ params }) =>
    `expected at least ${params.limit} ${what}`;
const atMost =
  (what: string): Reason =>
  ({ params }) =>
    `expected at most ${params.limit} ${what}`;
const bound: Reason = ({ params }) => `expected a number ${params.comparison} ${params.limit}`;
const dependency: Reason = ({ params }) => `property ${quote(params.missingProperty)} is missing, which ${quote(params.property)} requires`;

const REASONS: Readonly<Record<string, Reason>> = {
  type: ({ params, data }) => `expected ${[params.type].flat().join(' or ')}, got ${typeOf(data)}`,
  enum: ({ params: { allowedValues = [] } }) => `expected ${allowedValues.length === 1 ? '' : 'one of '}${list(allowedValues)}`,
  const: ({ params }) => `expected ${show(params.allowedValue)}`,
  required: ({ params }) => `property ${quote(params.missingProperty)} is missing`,
  additionalProperties: ({ params, parentSchema }) => unknownProperty(params.additionalProperty, parentSchema),
  unevaluatedProperties: ({ params, parentSchema }) => unknownProperty(params.unevaluatedProperty, parentSchema),
  dependencies: dependency,
  dependentRequired: dependency,
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: ({ params }) => `expected a multiple of ${params.multipleOf}`,
  minLength: atLeast('characters'),
  maxLength: atMost('characters'),
  pattern: ({ params }) => `expected text that matches ${quote(params.pattern)}`,
  format: ({ params }) => `expected text of the format ${quote(params.format)}`,
  minItems: atLeast('items'),
  maxItems: atMost('items'),
  items: atMost('items'),
  additionalItems: atMost('items'),
  unevaluatedItems: atMost('items'),
  uniqueItems: ({ params }) => `items ${params.first} and ${params.second} are equal`,
  contains: ({ params }) =>
    `expected at least ${params.minContains} ${params.maxContains === undefined ? '' : `and at most ${params.maxContains} `}matching items`,
  minProperties: atLeast('properties'),
  maxProperties: atMost('properties'),
  propertyNames: ({ params }) => `property name ${quote(params.propertyName)} is not allowed`,
  anyOf: ({ schema }) => `expected a match with one of ${countOf(schema)} alternatives`,
  oneOf: ({ schema, params }) =>
    params.passingSchemas
      ? `matches alternatives ${params.passingSchemas.join(' and ')} of ${countOf(schema)}, expected exactly one`
      : `expected a match with exactly one of ${countOf(schema)} alternatives`,
  not: ({ schema }) =>
    isMap(schema) && Object.keys(schema).length === 0 ? 'no value is allowed here' : `must not match ${show(withoutCost(schema))}`,
};

const unknownProperty = (name: unknown, parentSchema: unknown): string => {
  const near = closestName(String(name), knownNames(parentSchema));
  return `unknown property ${quote(name)}${near === undefined ? '' : ` (did you mean ${quote(near)}?)`}`;
};

const knownNames = (schema: unknown): readonly string[] =>
  isMap(schema) && isMap(schema.properties) ? Object.keys(schema.properties) : [];

/** The schema's author did not write the keyword `cost`; `copyForValidator` adds it. */
const withoutCost = (schema: unknown): unknown =>
  isMap(schema) ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== 'cost')) : schema;
const countOf = (alternatives: unknown): number => (Array.isArray(alternatives) ? alternatives.length : 0);
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const shorten = (text: string): string => (text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);
const quote = (value: unknown): string => `'${shorten(String(value))}'`;
const show = (value: unknown): string => shorten(JSON.stringify(value));
const list = (values: readonly unknown[]): string =>
  shorten(
    values
      .slice(0, 20)
      .map((value) => JSON.stringify(value))
      .join(', '),
  );
