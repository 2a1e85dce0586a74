import { type Field, writeOnly } from './kit/index.ts';
import { boolean, shortText } from './shared.ts';

/**
 * Fields of later API versions, which this controller does not implement. It accepts empty values, because consoles send them, and refuses all others,
 * so that nobody assumes that they take effect.
 */

const WHY = 'this controller does not enroll identities by tokens of signers';

/** A flag that must be false. */
export const off = () =>
  writeOnly(boolean.refine((given) => !given, `must be false: ${WHY}`).meta({ description: `Null or false: ${WHY}.` }));

/** A text that must be the default value, one of its synonyms, or blank. */
export const only = (standard: string, ...synonyms: readonly string[]): Field<'optional', 'input', string, string | null> => {
  const shown = standard || 'blank';
  return writeOnly(
    shortText
      .refine((given) => given.trim() === '' || [standard, ...synonyms].includes(given), `must be ${shown}: ${WHY}`)
      .meta({ description: `Null, ${shown === 'blank' ? shown : `blank or \`${shown}\``}: ${WHY}.` }),
  );
};
