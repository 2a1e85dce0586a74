/** Keywords that apply other schemas to the same value. */
import { all, type Engine, type Evaluated, type Keyword, markAll, nothingEvaluated, type SchemaCheck } from './check.ts';

type Schemas = readonly (Readonly<Record<string, unknown>> | boolean)[];
const compiled = (value: unknown, { compile }: Engine): readonly SchemaCheck[] => (value as Schemas).map(compile); // the schema has been validated

/** Properties and items that a branch evaluated count only if the value matches it. */
const tryBranch = (check: SchemaCheck, ...[data, at, evaluated]: Parameters<SchemaCheck>): boolean => {
  const branchEvaluated: Evaluated | undefined = evaluated && nothingEvaluated();
  const isValid = check(data, at, branchEvaluated);
  if (isValid) markAll(evaluated, branchEvaluated);
  return isValid;
};

/** True if the value matches; failures are not reported. */
const matchesSilently = ({ errors }: Engine, check: SchemaCheck, ...input: Parameters<SchemaCheck>): boolean => {
  const before = errors.length;
  const isValid = tryBranch(check, ...input);
  errors.length = before;
  return isValid;
};

const reference: Keyword = (value, _schema, { refer }) => refer(String(value));

const allOf: Keyword = (value, _schema, engine) => all(compiled(value, engine), engine);

const anyOf: Keyword = (value, _schema, engine, fail) => {
  const branches = compiled(value, engine);
  return (data, at, evaluated) => {
    const before = engine.errors.length;
    let isValid = false;
    for (const branch of branches) {
      if (!tryBranch(branch, data, at, evaluated)) continue;
      isValid = true;
      if (!evaluated) break; // other branches could only add evaluated parts
    }
    if (!isValid) return fail(data, at, {});
    engine.errors.length = before;
    return true;
  };
};

const oneOf: Keyword = (value, _schema, engine, fail) => {
  const branches = compiled(value, engine);
  return (data, at, evaluated) => {
    const before = engine.errors.length;
    const passing: number[] = [];
    for (const [index, branch] of branches.entries()) {
      if (tryBranch(branch, data, at, evaluated)) passing.push(index);
      if (passing.length > 1) break;
    }
    if (passing.length !== 1) return fail(data, at, { passingSchemas: passing.length > 1 ? passing : null });
    engine.errors.length = before;
    return true;
  };
};

const not: Keyword = (value, _schema, engine, fail) => {
  const [branch] = compiled([value], engine);
  return (data, at) => !branch || !matchesSilently(engine, branch, data, at) || fail(data, at, {});
};

const conditional: Keyword = (value, schema, engine, fail) => {
  const [condition, yes, no] = compiled([value, schema.then ?? true, schema.else ?? true], engine);
  return (data, at, evaluated) => {
    if (!condition || !yes || !no) return true;
    const holds = matchesSilently(engine, condition, data, at, evaluated);
    return tryBranch(holds ? yes : no, data, at, evaluated) || fail(data, at, { failingKeyword: holds ? 'then' : 'else' });
  };
};

export const branching: Readonly<Record<string, Keyword>> = { $ref: reference, not, anyOf, oneOf, allOf, if: conditional };
