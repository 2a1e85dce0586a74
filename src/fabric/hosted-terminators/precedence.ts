/** The precedence of terminators. While their router is quiesced, it is `failed`, and what it will be again is saved. */
import type { RowOf } from '../../contract/api/kit/index.ts';
import type { router } from '../../contract/api/routers.ts';
import type { terminator } from '../../contract/api/terminators.ts';

type Row = RowOf<typeof terminator>;
type Precedences = Pick<Row, 'precedence' | 'savedPrecedence'>;

/** The precedence of a new terminator of a router. */
export const precedenceAt = ({ isQuiesced }: Pick<RowOf<typeof router>, 'isQuiesced'>, precedence: Row['precedence']): Precedences =>
  isQuiesced && precedence !== 'failed' ? { precedence: 'failed', savedPrecedence: precedence } : { precedence, savedPrecedence: null };

/** The change with which a host sets the precedence of its terminator. That of a quiesced router has it later. */
export const changeOfPrecedence = ({ savedPrecedence }: Precedences, precedence: NonNullable<Row['precedence']>): Partial<Precedences> =>
  savedPrecedence ? { savedPrecedence: precedence } : { precedence };

/** The change of a terminator whose router is quiesced or no longer is; undefined if there is none. */
export const requiredPrecedences = (isQuiesced: boolean, { precedence, savedPrecedence }: Precedences): Precedences | undefined => {
  if (isQuiesced) return precedence === 'failed' ? undefined : { precedence: 'failed', savedPrecedence: precedence };
  if (!savedPrecedence) return undefined;
  // An administrator may have chosen another one in the meantime.
  return { precedence: precedence === 'failed' ? savedPrecedence : precedence, savedPrecedence: null };
};
