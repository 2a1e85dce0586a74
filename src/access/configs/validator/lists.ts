/** Keywords about lists. */
import { equalItems } from '../unique-items.ts';
import { below, type Engine, type Evaluated, type Keyword, type Location, limited, markItems, type SchemaCheck } from './check.ts';

type Schema = Readonly<Record<string, unknown>> | boolean;
type OfList = (items: readonly unknown[], at: Location, evaluated: Evaluated | undefined) => boolean;

const lists =
  (check: OfList): SchemaCheck =>
  (data, at, evaluated) =>
    !Array.isArray(data) || check(data, at, evaluated);

const itemCount = (data: unknown): number | undefined => (Array.isArray(data) ? data.length : undefined);

/** Checks the items from one index up to another, each against the schema for its index. */
const checkItems =
  ({ allErrors }: Engine, from: number, until: number, schemaAt: (index: number) => SchemaCheck | undefined): OfList =>
  (items, at, evaluated) => {
    let isValid = true;
    const end = Math.min(items.length, until);
    for (let index = from; index < end; index++) {
      if (schemaAt(index)?.(items[index], below(at, index)) !== false) continue;
      if (!allErrors) return false;
      isValid = false;
    }
    markItems(evaluated, until);
    return isValid;
  };

const tuple: Keyword = (value, _schema, engine) => {
  const schemas = (value as readonly Schema[]).map(engine.compile); // the schema has been validated
  return lists(checkItems(engine, 0, schemas.length, (index) => schemas[index]));
};

/** All items after a tuple. If the schema is `false`, they give one fault together. */
const rest =
  (tupleOf: (schema: Readonly<Record<string, unknown>>) => unknown): Keyword =>
  (value, schema, engine, fail) => {
    const before = tupleOf(schema);
    const limit = Array.isArray(before) ? before.length : 0;
    if (value === false) return lists((items, at) => items.length <= limit || fail(items, at, { limit }));
    const check = engine.compile(value as Schema); // the schema has been validated
    return lists(checkItems(engine, limit, Number.POSITIVE_INFINITY, () => check));
  };

const items: Keyword = (value, schema, engine, fail) => {
  if (Array.isArray(value)) return tuple(value, schema, engine, fail);
  return rest(({ prefixItems }) => (engine.draft === '2020-12' ? prefixItems : undefined))(value, schema, engine, fail);
};

const additionalItems: Keyword = (value, schema, engine, fail) =>
  Array.isArray(schema.items) ? rest(({ items }) => items)(value, schema, engine, fail) : () => true;

const contains: Keyword = (value, { minContains, maxContains }, engine, fail) => {
  const check = engine.compile(value as Schema); // the schema has been validated
  const [min, max] = engine.draft === '2020-12' ? [minContains ?? 1, maxContains] : [1, undefined];
  const [atLeast, atMost] = [Number(min), max === undefined ? Number.POSITIVE_INFINITY : Number(max)];
  if (atLeast === 0 && max === undefined) return () => true;
  const params = { minContains: min, ...(max === undefined ? {} : { maxContains: max }) };
  return lists((found, at, evaluated) => {
    const before = engine.errors.length;
    markItems(evaluated, Number.POSITIVE_INFINITY); // all items, not only the matching ones, as in most validators
    let count = 0;
    for (const [index, item] of found.entries()) {
      if (check(item, below(at, index))) count++;
      if (count > atMost || (count >= atLeast && max === undefined)) break;
    }
    if (count < atLeast || count > atMost) return fail(found, at, params);
    engine.errors.length = before;
    return true;
  });
};

const uniqueItems: Keyword = (value, _schema, { budget }, fail) =>
  lists((found, at) => {
    const equal = value === true ? equalItems(found, budget) : undefined;
    return !equal || fail(found, at, equal);
  });

/** Runs last: items that no other keyword evaluated. */
export const unevaluatedItems: Keyword = (value, _schema, engine, fail) => {
  const check = engine.compile(value as Schema); // the schema has been validated
  return lists((found, at, evaluated) => {
    const from = evaluated?.items ?? 0;
    if (value === false) return found.length <= from || fail(found, at, { limit: from });
    return checkItems(engine, from, Number.POSITIVE_INFINITY, () => check)(found, at, evaluated);
  });
};

export const ofLists: Readonly<Record<string, Keyword>> = {
  maxItems: limited(itemCount, (length, limit) => length <= limit),
  minItems: limited(itemCount, (length, limit) => length >= limit),
  prefixItems: tuple,
  additionalItems,
  items,
  contains,
  uniqueItems,
};
