import types from './builtin-config-types.json' with { type: 'json' };

export interface BuiltinConfigType {
  readonly id: string;
  readonly name: string;
  /** JSON Schema, draft-07. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * The config types that every network starts with, ids included: tunnelers know them by name, and scripts by id.
 * Once created they are ordinary entities, which may be changed or deleted.
 */
export const builtinConfigTypes: readonly BuiltinConfigType[] = types;
