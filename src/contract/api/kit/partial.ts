import * as z from 'zod';

/** A member that a PATCH body may omit. Null counts as omitted. */
export const omittable = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

/** An object that PATCH may change member by member. */
export const partial = <S extends Record<string, z.ZodType>>(shape: S) =>
  z.object(
    Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, omittable(schema)])) as {
      [K in keyof S]: ReturnType<typeof omittable<S[K]>>;
    }, // each key keeps its schema
  );
