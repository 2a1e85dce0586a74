/** The validation of schemas against the meta-schemas of JSON Schema. */
import { createStepBudget, limits } from './limits.ts';
import { metaSchemas } from './meta-schemas.ts';
import { createPatterns } from './patterns.ts';
import { runValidator } from './run-validator.ts';
import { copyForValidator } from './schema-copy.ts';
import { type Draft, readGraph, SchemaRefused } from './schema-graph.ts';
import { createValidator, type Validator } from './validator/index.ts';
import { violationsText } from './violations.ts';

const metaBudget = createStepBudget();
const metaPatterns = createPatterns(metaBudget);
const metaValidators = new Map<Draft, Validator>();

const metaValidator = (draft: Draft): Validator => {
  const graph = readGraph(metaSchemas[draft], draft, metaPatterns, () => undefined);
  // Formats in the meta-schemas are annotations.
  return createValidator(copyForValidator(graph, draft), {
    draft,
    allErrors: false,
    budget: metaBudget,
    patterns: metaPatterns,
    formats: {},
  });
};

/** @throws SchemaRefused for what is not a schema of the draft */
export const checkIsSchema = (schema: unknown, draft: Draft): void => {
  const validate = metaValidators.get(draft) ?? metaValidator(draft);
  metaValidators.set(draft, validate);
  const violations = runValidator(validate, schema, limits.fuel, metaBudget.fill);
  if (violations === undefined) throw new SchemaRefused('takes too long to read');
  if (violations.length > 0) throw new SchemaRefused(`is not a valid schema of ${draft}: ${violationsText(violations)}`);
};
