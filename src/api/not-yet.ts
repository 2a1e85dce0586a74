import { type Field, list, writeOnly } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';

/**
 * Fields of later levels of the API, which this controller does not implement. Empty values are accepted, because consoles send them,
 * and all others refused, so that nobody believes a right was granted.
 */

const WHY = 'this controller does not enroll identities by tokens of signers';

/** No permissions. The refusal has the form of that of an unknown name. */
export const noPermissions = () =>
  writeOnly(
    list(shortText, 1000)
      .superRefine(([name], context) => {
        if (name !== undefined) context.addIssue({ code: 'custom', message: `invalid permissions '${name}'`, input: name });
      })
      .meta({ description: 'Null or empty: this controller does not delegate rights by permissions.' }),
  );

/** A flag that is off. */
export const off = () =>
  writeOnly(boolean.refine((given) => !given, `must be false: ${WHY}`).meta({ description: `Null or false: ${WHY}.` }));

/** One of the texts that stand for the default: the first, others that mean the same, and blank. */
export const only = (standard: string, ...same: readonly string[]): Field<'optional', 'input', string, string | null> => {
  const meant = standard || 'blank';
  return writeOnly(
    shortText
      .refine((given) => given.trim() === '' || [standard, ...same].includes(given), `must be ${meant}: ${WHY}`)
      .meta({ description: `Null, ${meant === 'blank' ? meant : `blank or \`${meant}\``}: ${WHY}.` }),
  );
};
