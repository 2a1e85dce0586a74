import type { SchemaObject } from './schema-graph.ts';

/** A violation found by the validator. */
export interface SchemaFault {
  readonly keyword: string;
  /** Value of the keyword. */
  readonly schema: unknown;
  /** The schema that contains the keyword. */
  readonly parentSchema?: SchemaObject;
  /** JSON pointer to the value at fault. */
  readonly instancePath: string;
  /** The value at fault. */
  readonly data: unknown;
  /** The property whose name is at fault, if the fault is in a name. */
  readonly propertyName?: string;
  readonly params: FaultParams;
}

/** The expectation of a keyword, and details of the failure. Each keyword sets some of these. */
export interface FaultParams {
  readonly type?: unknown;
  readonly allowedValues?: readonly unknown[];
  readonly allowedValue?: unknown;
  readonly comparison?: string;
  readonly limit?: number;
  readonly multipleOf?: unknown;
  readonly pattern?: unknown;
  readonly format?: unknown;
  /** Indexes of two equal items. */
  readonly first?: number;
  readonly second?: number;
  readonly minContains?: unknown;
  readonly maxContains?: unknown;
  readonly property?: string;
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly unevaluatedProperty?: string;
  readonly propertyName?: string;
  /** Indexes of the matching alternatives, if there are several. */
  readonly passingSchemas?: readonly number[] | null;
  /** `then` or `else`. */
  readonly failingKeyword?: string;
}
