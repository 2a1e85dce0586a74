/** Keywords about objects. Only own properties count, so an inherited `constructor` is not a property. */
import {
  allValid,
  below,
  type Engine,
  type Evaluated,
  type Fail,
  type Keyword,
  type Location,
  limited,
  markProperty,
  type SchemaCheck,
} from './check.ts';

type Schema = Readonly<Record<string, unknown>> | boolean;
type Properties = Readonly<Record<string, unknown>>;
type OfObject = (object: Properties, at: Location, evaluated: Evaluated | undefined) => boolean;

const objects =
  (check: OfObject): SchemaCheck =>
  (data, at, evaluated) =>
    typeof data !== 'object' || data === null || Array.isArray(data) || check(data as Properties, at, evaluated); // narrowed by the checks above

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];
const compiledEntries = (value: unknown, { compile }: Engine) =>
  entriesOf(value).map(([name, schema]) => [name, compile(schema as Schema)] as const); // the schema has been validated

const propertyCount = (data: unknown): number | undefined =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data).length : undefined;

const required: Keyword = (value, _schema, engine, fail) => {
  const names = value as readonly string[]; // the schema has been validated
  return objects((object, at) =>
    allValid(engine, names, (missingProperty) => Object.hasOwn(object, missingProperty) || fail(object, at, { missingProperty })),
  );
};

const requiredBy = (engine: Engine, lists: readonly (readonly [string, readonly string[]])[], fail: Fail): SchemaCheck =>
  objects((object, at) =>
    allValid(
      engine,
      lists.filter(([property]) => Object.hasOwn(object, property)),
      ([property, names]) =>
        allValid(
          engine,
          names,
          (missingProperty) => Object.hasOwn(object, missingProperty) || fail(object, at, { property, missingProperty }),
        ),
    ),
  );

/** For each property, the names of others that it requires, or a schema for the object that has it. */
const dependencies: Keyword = (value, _schema, engine, fail) => {
  const lists = entriesOf(value).flatMap(([name, item]) => (Array.isArray(item) ? [[name, item as readonly string[]] as const] : []));
  const schemas = compiledEntries(Object.fromEntries(entriesOf(value).filter(([, item]) => !Array.isArray(item))), engine);
  const names = requiredBy(engine, lists, fail);
  const schemasHold = objects((object, at, evaluated) =>
    allValid(engine, schemas, ([name, check]) => !Object.hasOwn(object, name) || check(object, at, evaluated)),
  );
  return (data, at, evaluated) => {
    const isValid = names(data, at, evaluated);
    return (isValid || engine.allErrors) && schemasHold(data, at, evaluated) && isValid;
  };
};

const propertyNames: Keyword = (value, _schema, engine, fail) => {
  const check = engine.compile(value as Schema); // the schema has been validated
  return objects((object, at) =>
    allValid(
      engine,
      Object.keys(object),
      (propertyName) => check(propertyName, { path: at.path, propertyName }) || fail(object, at, { propertyName }),
    ),
  );
};

/** Properties that match neither a name in `properties` nor a pattern in `patternProperties`. */
const additionalProperties: Keyword = (value, schema, engine, fail) => {
  const names = new Set(entriesOf(schema.properties).map(([name]) => name));
  const patterns = entriesOf(schema.patternProperties).map(([pattern]) => engine.patterns.compile(pattern));
  const check = engine.compile(value as Schema); // the schema has been validated
  return objects((object, at, evaluated) => {
    const others = Object.keys(object).filter((name) => !names.has(name) && !patterns.some((pattern) => pattern.test(name)));
    if (evaluated) evaluated.names = 'all';
    return allValid(engine, others, (name) =>
      value === false ? fail(object, at, { additionalProperty: name }) : check(object[name], below(at, name)),
    );
  });
};

const properties: Keyword = (value, _schema, engine) => {
  const schemas = compiledEntries(value, engine);
  return objects((object, at, evaluated) =>
    allValid(engine, schemas, ([name, check]) => {
      if (!Object.hasOwn(object, name)) return true;
      markProperty(evaluated, name);
      return check(object[name], below(at, name));
    }),
  );
};

const patternProperties: Keyword = (value, _schema, engine) => {
  const schemas = compiledEntries(value, engine).map(([pattern, check]) => [engine.patterns.compile(pattern), check] as const);
  return objects((object, at, evaluated) =>
    allValid(engine, schemas, ([pattern, check]) =>
      allValid(engine, Object.keys(object), (name) => {
        if (!pattern.test(name)) return true;
        markProperty(evaluated, name);
        return check(object[name], below(at, name));
      }),
    ),
  );
};

/** Runs last: properties that no other keyword evaluated. */
export const unevaluatedProperties: Keyword = (value, _schema, engine, fail) => {
  const check = engine.compile(value as Schema); // the schema has been validated
  return objects((object, at, evaluated) => {
    const names = evaluated?.names ?? new Set<string>();
    const others = names === 'all' ? [] : Object.keys(object).filter((name) => !names.has(name));
    if (evaluated) evaluated.names = 'all';
    return allValid(engine, others, (name) =>
      value === false ? fail(object, at, { unevaluatedProperty: name }) : check(object[name], below(at, name)),
    );
  });
};

export const ofObjects: Readonly<Record<string, Keyword>> = {
  maxProperties: limited(propertyCount, (count, limit) => count <= limit),
  minProperties: limited(propertyCount, (count, limit) => count >= limit),
  required,
  dependentRequired: dependencies,
  dependentSchemas: dependencies,
  dependencies,
  propertyNames,
  additionalProperties,
  properties,
  patternProperties,
};
