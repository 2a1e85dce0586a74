import { invalidField } from '../../contract/errors/index.ts';
import { keyOf } from '../../query/json-pointer.ts';
import type { SchemaFault } from './fault.ts';
import { schemaReason } from './reasons.ts';

/** A violation of the schema, at the innermost place in the data. */
export interface Violation {
  /**
   * Dotted path of the value at fault (`port`, `list.1`), or of the object if a property is missing or unknown; `(root)` for the data
   * itself.
   */
  readonly field: string;
  /** The keyword and what it expects, never the value. */
  readonly reason: string;
  readonly value: unknown;
}

export const ROOT = '(root)';
const MAX_REPORTED = 5;

/**
 * @throws ApiError 400 `COULD_NOT_VALIDATE` with the first violation; the reason includes up to four more, because many clients show
 * nothing else
 */
export const refuseViolations = (violations: readonly Violation[]): void => {
  const [first] = violations;
  if (first) throw invalidField(first.field, violationsText(violations), first.value);
};

/** The violations as one text. */
export const violationsText = (violations: readonly Violation[]): string => violations.map(messageOf).join('; ');

const messageOf = ({ field, reason }: Violation): string => (field === ROOT ? reason : `${field}: ${reason}`);

/** Keywords whose fault summarizes the preceding faults of their alternatives or inner parts. */
const SUMMARIES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains', 'propertyNames']);

/**
 * Converts the validator's errors to at most five violations. A fault of `if` is dropped, because it only repeats those of `then` or
 * `else`. A summary such as `oneOf` replaces the faults of its alternatives and quotes the deepest one, which is closest to what was meant.
 */
export const violationsOf = (errors: readonly SchemaFault[]): readonly Violation[] => {
  const leaves: SchemaFault[] = [];
  const causes = new Map<SchemaFault, SchemaFault>();
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    if (SUMMARIES.has(error.keyword)) {
      const inner = takeBelow(leaves, error);
      const deepest = inner.reduce<SchemaFault | undefined>(
        (best, leaf) => (best && depthOf(best) >= depthOf(leaf) ? best : leaf),
        undefined,
      );
      if (deepest && !error.params.passingSchemas) causes.set(error, causes.get(deepest) ?? deepest);
    }
    leaves.push(error);
  }
  // A value of the wrong type violates many other keywords, too.
  const mistyped = new Set(leaves.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath));
  const reported = leaves.filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath));
  // Building a reason takes work, so only the reported ones are built.
  return reported.slice(0, MAX_REPORTED).map((error) => violation(error, causes.get(error)));
};

const violation = (error: SchemaFault, cause: SchemaFault | undefined): Violation => {
  const field = fieldOf(error);
  const why = cause && (cause.instancePath === error.instancePath ? schemaReason(cause) : `${fieldOf(cause)}: ${schemaReason(cause)}`);
  return { field, reason: why === undefined ? schemaReason(error) : `${schemaReason(error)} (closest: ${why})`, value: error.data };
};

/** Removes from the list, and returns, the trailing errors at or below the place of a summary. */
const takeBelow = (leaves: SchemaFault[], { instancePath }: SchemaFault): readonly SchemaFault[] => {
  let start = leaves.length;
  while (start > 0 && isBelow(leaves[start - 1]?.instancePath ?? '', instancePath)) start--;
  return leaves.splice(start);
};

const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);
const depthOf = ({ instancePath }: SchemaFault): number => instancePath.split('/').length;

const fieldOf = ({ instancePath }: SchemaFault): string =>
  instancePath === '' ? ROOT : instancePath.slice(1).split('/').map(keyOf).join('.');
