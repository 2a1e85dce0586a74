/** Certificate authorities and external JWT signers vouch for identities. One that a delegate has written vouches for no privileged identity. */

import type { ca, externalJwtSigner } from '../api/kinds.ts';
import type { RowOf } from '../api/kit/index.ts';
import { isPrivileged } from '../call/actor.ts';
import type { Call } from '../call/call.ts';

type Voucher = RowOf<typeof ca> | RowOf<typeof externalJwtSigner>;

/** The mark of a written row: of the last write that changed one of the fields that determine whom it proves. */
export const writtenByDelegate = <R extends Voucher>(
  { grant }: Pick<Call, 'grant'>,
  decisive: readonly (keyof R)[],
  after: R,
  before: R | undefined,
): Pick<Voucher, 'isWrittenByDelegate'> | undefined =>
  !before || decisive.some((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    ? { isWrittenByDelegate: grant.isDelegated }
    : undefined;

/** True if an authority or a signer may prove an identity. */
export const mayVouchFor = (
  { isWrittenByDelegate }: Pick<Voucher, 'isWrittenByDelegate'>,
  owner: Parameters<typeof isPrivileged>[0],
): boolean => isWrittenByDelegate !== true || !isPrivileged(owner);
