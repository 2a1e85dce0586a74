import {
  _,
  Ajv,
  type CodeKeywordDefinition,
  type FuncKeywordDefinition,
  type Options,
  type SchemaValidateFunction,
  type ValidateFunction,
} from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createFormats } from './formats.ts';
import type { Tank } from './limits.ts';
import type { Patterns } from './patterns.ts';
import type { Cost } from './schema-copy.ts';
import { type Draft, type SchemaObject, SchemaRefused } from './schema-graph.ts';

const OPTIONS: Options = {
  strict: false,
  // Who is at fault is told by params, schema and data; texts are made in `violations.ts`.
  messages: false,
  verbose: true,
  // `required: ['constructor']` is not met by every object.
  ownProperties: true,
  // 19.99 is a multiple of 0.01.
  multipleOfPrecision: 8,
  // One function for each definition: code never outgrows the schema.
  inlineRefs: false,
  addUsedSchema: false,
  logger: false,
};

/**
 * A validator on a schema from `copyForValidator`. An instance of its own for each, because an instance keeps all that it ever compiled;
 * and without optimizing the code, which takes time with the square of the schema.
 * @throws SchemaRefused
 */
export const createValidator = (
  schema: SchemaObject,
  draft: Draft,
  allErrors: boolean,
  tank: Tank,
  patterns: Patterns,
): ValidateFunction => {
  const ajv = withKeywords(
    new CLASSES[draft]({
      ...OPTIONS,
      meta: false,
      validateSchema: false,
      allErrors,
      formats: createFormats(tank),
      code: { regExp: engine(patterns), optimize: false },
    }),
    tank,
  );
  try {
    return ajv.compile(schema);
  } catch (error) {
    throw asRefusal(error);
  }
};

const asRefusal = (error: unknown): unknown => {
  // The platform forbids generating code (some workers, a content security policy): not the schema's fault.
  if (error instanceof EvalError || !(error instanceof Error)) return error;
  if (error instanceof RangeError) return new SchemaRefused('refers from definition to definition in too long a chain');
  return new SchemaRefused(`does not compile: ${error.message}`);
};

const META: Readonly<Record<Draft, string>> = {
  'draft-07': 'http://json-schema.org/draft-07/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

/** A validator of schemas: whether one is a schema at all. */
export const createMetaValidator = (draft: Draft, tank: Tank, patterns: Patterns): ValidateFunction => {
  const ajv = withKeywords(new CLASSES[draft]({ ...OPTIONS, validateFormats: false, code: { regExp: engine(patterns) } }), tank);
  const validate = ajv.getSchema(META[draft]);
  if (!validate) throw new Error(`no meta-schema for ${draft}`);
  return validate as ValidateFunction; // the meta-schemas are not asynchronous
};

const CLASSES = { 'draft-07': Ajv, '2020-12': Ajv2020 } as const;

const engine = (patterns: Patterns) => Object.assign((pattern: string) => patterns.compile(pattern), { code: 'pattern' });

const withKeywords = (ajv: Ajv | Ajv2020, tank: Tank): Ajv | Ajv2020 => {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems(tank));
  ajv.addKeyword(cost(tank));
  return ajv;
};

/** Burns what applying the subschema costs, wherever it is applied. */
const cost = (tank: Tank): CodeKeywordDefinition => {
  const burn = (units: number, value: unknown) => {
    if (typeof value === 'string') tank.burn(units + (value.length >> 4));
    else tank.burn(units + (typeof value === 'object' && value !== null ? Object.keys(value).length : 0));
  };
  return {
    keyword: 'cost',
    code: ({ gen, schema, data }) => {
      const [units, perPart] = schema as Cost; // written by copyForValidator
      gen.code(
        perPart
          ? _`${gen.scopeValue('func', { ref: burn })}(${units}, ${data})`
          : _`${gen.scopeValue('func', { ref: tank.burn })}(${units})`,
      );
    },
  };
};

/** In the time that reading the items takes; the validator's own keyword compares every item with every other. */
const uniqueItems = (tank: Tank): FuncKeywordDefinition => {
  const validate: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) => {
    if (!wanted) return true;
    const places = new Map<string, number>();
    for (const [place, item] of items.entries()) {
      const text = canonical(item, tank);
      const first = places.get(text);
      if (first !== undefined) {
        validate.errors = [{ keyword: 'uniqueItems', params: { first, second: place } }];
        return false;
      }
      places.set(text, place);
    }
    return true;
  };
  return { keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate };
};

/** Equal values give equal texts: properties are sorted. */
const canonical = (value: unknown, tank: Tank): string => {
  tank.burn(8);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, tank)).join()}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .sort(byName)
      .map(([name, item]) => `${canonical(name, tank)}:${canonical(item, tank)}`)
      .join()}}`;
  if (typeof value !== 'string') return String(value);
  tank.burn(value.length >> 1);
  return JSON.stringify(value);
};

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);
