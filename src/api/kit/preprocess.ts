import * as z from 'zod';

/**
 * A schema behind a step that brings what clients in the field send into its form. A schema that also takes undefined is that of an optional field:
 * a value that is undefined after the step is omitted.
 * @typeParam In what the step takes; default: what the schema takes
 */
export const preprocess = <Out, In>(
  step: (given: unknown) => unknown,
  schema: z.ZodType<Out | undefined, In | undefined>,
): z.ZodType<Out, In> => z.preprocess(step, schema) as z.ZodType<Out, In>; // zod does not know the input type of the step
