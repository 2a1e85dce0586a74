/** The entities of a kind that a caller may see or change, as an expression. Filters are bound to a kind by `resources/granted.ts`. */
export type Limit =
  | typeof EVERY_ENTITY
  | typeof NO_ENTITY
  | { readonly is: 'where'; readonly filter: string }
  | { readonly is: 'and' | 'or'; readonly limits: readonly Limit[] };

export const EVERY_ENTITY = { is: 'everything' } as const;
export const NO_ENTITY = { is: 'nothing' } as const;

/** The entities that satisfy a filter. */
export const satisfying = (filter: string): Limit => ({ is: 'where', filter });

/** Maximum number of terms in a limit, so that no query becomes too long for a store. Beyond it, no entity is allowed. */
const MAX_TERMS = 20;

/** The entities that all of the limits allow. */
export const withinAll = (limits: readonly Limit[]): Limit => {
  const terms = termsOf('and', limits).filter((term) => term !== EVERY_ENTITY);
  if (terms.length > MAX_TERMS || terms.includes(NO_ENTITY)) return NO_ENTITY;
  return terms.length > 1 ? { is: 'and', limits: terms } : (terms[0] ?? EVERY_ENTITY);
};

/** The entities that any of the limits allows. */
export const withinAny = (limits: readonly Limit[]): Limit => {
  const terms = termsOf('or', limits).filter((term) => term !== NO_ENTITY);
  if (terms.includes(EVERY_ENTITY)) return EVERY_ENTITY;
  return terms.length > 1 ? { is: 'or', limits: terms } : (terms[0] ?? NO_ENTITY);
};

/** The distinct terms of limits, without the nested ones of the same operator. */
const termsOf = (is: 'and' | 'or', limits: readonly Limit[]): readonly Limit[] => {
  const terms = limits.flatMap((limit) => (limit.is === is ? limit.limits : [limit]));
  return [...new Map(terms.map((term) => [textOfLimit(term), term])).values()];
};

/** A limit as a filter. */
export const textOfLimit = (limit: Limit): string => {
  if (limit.is === 'everything') return 'true';
  if (limit.is === 'nothing') return 'false';
  return limit.is === 'where' ? limit.filter : limit.limits.map((term) => `(${textOfLimit(term)})`).join(` ${limit.is} `);
};

/** Limits by kind. */
export type Limits = ReadonlyMap<string, Limit>;

export const NO_LIMITS: Limits = new Map();

/** The limit on a kind; a kind that is missing has none. */
export const limitIn = (limits: Limits, { kind }: { readonly kind: string }): Limit => limits.get(kind) ?? EVERY_ENTITY;

/** The entities that both allow. */
export const withinBoth = (one: Limits, other: Limits): Limits => {
  if (other.size === 0) return one;
  const both = new Map(one);
  for (const [kind, limit] of other) both.set(kind, withinAll([limitIn(one, { kind }), limit]));
  return both;
};
