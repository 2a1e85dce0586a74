import type { SchemaObject } from './schema-graph.ts';

/** A violation found by the validator. */
export interface SchemaFault {
  readonly keyword: string;
  /** Value of the keyword. */
  readonly schema: unknown;
  /** The schema that the keyword is of. */
  readonly parentSchema?: SchemaObject;
  /** JSON pointer to the value at fault. */
  readonly instancePath: string;
  /** The value at fault. */
  readonly data: unknown;
  /** The property whose name is at fault, if it is a name. */
  readonly propertyName?: string;
  readonly params: FaultParams;
}

/** The expectation of a keyword and the point of failure: each keyword has some of these. */
export interface FaultParams {
  readonly type?: unknown;
  readonly allowedValues?: readonly unknown[];
  readonly allowedValue?: unknown;
  readonly comparison?: string;
  readonly limit?: number;
  readonly multipleOf?: unknown;
  readonly pattern?: unknown;
  readonly format?: unknown;
  /** Places of two equal items. */
  readonly first?: number;
  readonly second?: number;
  readonly minContains?: unknown;
  readonly maxContains?: unknown;
  readonly property?: string;
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly propertyName?: string;
  /** Places of the alternatives that match, where several do. */
  readonly passingSchemas?: readonly number[] | null;
  /** `then` or `else`. */
  readonly failingKeyword?: string;
}
