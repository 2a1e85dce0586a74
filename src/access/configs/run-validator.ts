import { OutOfFuel } from './limits.ts';
import type { Validator } from './validator/index.ts';
import { type Violation, violationsOf } from './violations.ts';

/**
 * Validates data within the fuel for steps.
 * @returns the violations; undefined if the validation runs out of fuel or stack
 */
export const runValidator = (
  validate: Validator,
  data: unknown,
  fuel: number,
  fill: (units: number) => void,
): readonly Violation[] | undefined => {
  fill(fuel);
  try {
    return validate(data) ? [] : violationsOf(validate.errors ?? []);
  } catch (error) {
    if (error instanceof OutOfFuel || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    validate.errors = null; // they would keep the data in memory
  }
};
