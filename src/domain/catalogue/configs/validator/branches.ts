/** Keywords that apply other schemas to the same value. */
import { all, type Engine, type Keyword, nothingSeen, type SchemaCheck, type Seen, seeAlso } from './check.ts';

type Schemas = readonly (Readonly<Record<string, unknown>> | boolean)[];
const compiled = (value: unknown, { compile }: Engine): readonly SchemaCheck[] => (value as Schemas).map(compile); // the schema is known to be one

/** Properties and items that a branch evaluated count only if the value matches it. */
const tried = (check: SchemaCheck, ...[data, at, seen]: Parameters<SchemaCheck>): boolean => {
  const own: Seen | undefined = seen && nothingSeen();
  const isGood = check(data, at, own);
  if (isGood) seeAlso(seen, own);
  return isGood;
};

/** True if the value matches; failures are not reported. */
const quietly = ({ errors }: Engine, check: SchemaCheck, ...input: Parameters<SchemaCheck>): boolean => {
  const before = errors.length;
  const isGood = tried(check, ...input);
  errors.length = before;
  return isGood;
};

const reference: Keyword = (value, _schema, { refer }) => refer(String(value));

const allOf: Keyword = (value, _schema, engine) => all(compiled(value, engine), engine);

const anyOf: Keyword = (value, _schema, engine, fail) => {
  const branches = compiled(value, engine);
  return (data, at, seen) => {
    const before = engine.errors.length;
    let isGood = false;
    for (const branch of branches) {
      if (!tried(branch, data, at, seen)) continue;
      isGood = true;
      if (!seen) break; // other branches could only add evaluated parts
    }
    if (!isGood) return fail(data, at, {});
    engine.errors.length = before;
    return true;
  };
};

const oneOf: Keyword = (value, _schema, engine, fail) => {
  const branches = compiled(value, engine);
  return (data, at, seen) => {
    const before = engine.errors.length;
    const passing: number[] = [];
    for (const [index, branch] of branches.entries()) {
      if (tried(branch, data, at, seen)) passing.push(index);
      if (passing.length > 1) break;
    }
    if (passing.length !== 1) return fail(data, at, { passingSchemas: passing.length > 1 ? passing : null });
    engine.errors.length = before;
    return true;
  };
};

const not: Keyword = (value, _schema, engine, fail) => {
  const [branch] = compiled([value], engine);
  return (data, at) => !branch || !quietly(engine, branch, data, at) || fail(data, at, {});
};

const conditional: Keyword = (value, schema, engine, fail) => {
  const [condition, yes, no] = compiled([value, schema.then ?? true, schema.else ?? true], engine);
  return (data, at, seen) => {
    if (!condition || !yes || !no) return true;
    const holds = quietly(engine, condition, data, at, seen);
    return tried(holds ? yes : no, data, at, seen) || fail(data, at, { failingKeyword: holds ? 'then' : 'else' });
  };
};

export const branching: Readonly<Record<string, Keyword>> = { $ref: reference, not, anyOf, oneOf, allOf, if: conditional };
