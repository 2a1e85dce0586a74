import * as z from 'zod';

/** The schema of an optional leaf in a PATCH body. Null counts as left out. */
export const given = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

/** A document that PATCH may change leaf by leaf. */
export const leaves = <S extends Record<string, z.ZodType>>(shape: S) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, given(schema)])) as {
      [K in keyof S]: ReturnType<typeof given<S[K]>>;
    }, // each key keeps its schema
  );
