import * as z from 'zod';
import { list, textUpTo } from './bounded.ts';

const INT64_MAX = 9223372036854775807n;

/**
 * A signed 64-bit integer, as decimal text in a query string (`+3` and `03` are allowed, empty counts as absent) or as a number from
 * in-process callers.
 */
export const integer = z
  .union([z.number(), textUpTo(64)])
  .transform((value, context): number | undefined => {
    if (value === '') return undefined;
    const digits = typeof value === 'number' ? (Number.isInteger(value) ? String(value) : '') : value;
    const parsed = /^[+-]?\d{1,19}$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined;
    if (parsed === undefined || parsed > INT64_MAX || parsed < -INT64_MAX) {
      context.addIssue({ code: 'custom', message: `must be of type int64: ${JSON.stringify(digits.slice(0, 32))}`, path: [] });
      return z.NEVER;
    }
    return Number(parsed);
  })
  .meta({ override: { type: 'integer', format: 'int64' } });

/** The limit is far above the longest filter that the parser accepts; over HTTP, request lines are shorter anyway. */
export const queryText = textUpTo(65_536);

/** A parameter that is true or false. */
export const queryFlag = z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => String(value) === 'true');

/** Parameters of every list. The list clamps them (`limit` to 500, ...), and returns the values that it used in `pagination`. */
export const listQuery = z.object({
  limit: integer.optional().meta({ description: 'Maximum number of entities to return; default 10, at most 500, -1 for all.' }),
  offset: integer.optional().meta({ description: 'Number of entities to skip; at most 100000.' }),
  filter: queryText.optional().meta({ description: 'A condition in the filter language.' }),
  sort: queryText.optional().meta({ description: 'Fields to sort by, e.g. `name desc, createdAt`.' }),
});

/** Parameters of lists of kinds with role attributes, which clients may also filter by role. */
export const roleListQuery = listQuery.extend({
  roleFilter: list(queryText, 1000).optional().meta({ description: '`#attribute` or `@id`; may be repeated.' }),
  roleSemantic: queryText.optional().meta({ description: '`AllOf` (default) or `AnyOf` of the attributes.' }),
});

export type ListQuery = z.output<typeof listQuery>;
