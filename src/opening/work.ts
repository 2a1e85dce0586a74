import { announceExpiries } from '../domain/directory/api-tokens/expiry.ts';
import { prefetchKeys } from '../domain/directory/external-jwt-signers/handlers.ts';
import { closeConnectionsOnChange } from '../domain/fabric/connections/create-presence.ts';
import { dropOldRecords } from '../domain/maintenance/audit/checkpoints.ts';
import { joinNetwork } from '../domain/maintenance/controllers/membership.ts';
import { logEndingSoon } from './follow-authority.ts';
import type { KeptAuthority } from './kept-authority.ts';
import type { Opening } from './options.ts';
import type { ControllerParts } from './parts.ts';
import { keepProvider } from './signing-keys.ts';

/** Starts the background work of a controller, which stops with `core.background`. */
export const beginWork = async (
  { core, events, grantEnds }: Pick<ControllerParts, 'core' | 'events' | 'grantEnds'>,
  { member, provider }: Pick<Opening, 'member' | 'provider'>,
  authority: KeptAuthority | undefined,
): Promise<void> => {
  await grantEnds.begin();
  prefetchKeys(events, core);
  closeConnectionsOnChange(events, core);
  if (member) await joinNetwork(core, member);
  if (provider) keepProvider(core);
  if (authority) logEndingSoon(core, authority);
  announceExpiries(core);
  dropOldRecords(core);
  // Resumes unfinished work of a closed or lost controller.
  core.reviewSessions();
};
