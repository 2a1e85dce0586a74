import * as z from 'zod';

/**
 * A schema behind a step that brings what clients in the field send into its form. A schema that also takes undefined is one of a field that may be left out: what is
 * undefined after the step is left out.
 * @typeParam In what the step takes; default: what the schema takes
 */
export const preprocess = <Out, In>(
  step: (given: unknown) => unknown,
  schema: z.ZodType<Out | undefined, In | undefined>,
): z.ZodType<Out, In> => z.preprocess(step, schema) as z.ZodType<Out, In>; // zod knows nothing of what the step takes
