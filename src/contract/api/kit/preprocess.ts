import * as z from 'zod';

/**
 * A schema for values that are first converted from the form that existing clients send. If the schema accepts undefined, the field is
 * optional, and omitted if `step` returns undefined.
 * @typeParam In input type of the step; default: that of the schema
 */
export const preprocess = <Out, In>(
  step: (given: unknown) => unknown,
  schema: z.ZodType<Out | undefined, In | undefined>,
): z.ZodType<Out, In> => z.preprocess(step, schema) as z.ZodType<Out, In>; // zod does not know the input type of the step
