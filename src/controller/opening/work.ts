import { closeConnectionsOnChange } from '../../fabric/connections/close-connections.ts';
import { dropOldUsage } from '../../fabric/journal/retention.ts';
import { announceExpiries } from '../../identity/api-tokens/expiry.ts';
import { prefetchKeys } from '../../identity/external-jwt-signers/handlers.ts';
import { dropOldRecords } from '../../operations/audit/checkpoints.ts';
import { logEndingSoon } from '../../operations/authority/follow-authority.ts';
import type { KeptAuthority } from '../../operations/authority/kept-authority.ts';
import { joinNetwork } from '../../operations/controllers/membership.ts';
import { keepBackups } from '../../operations/database/backups.ts';
import { emitEntityEvents } from '../../operations/network-events/entity-events.ts';
import { emitTerminatorEvents } from '../../operations/network-events/terminator-events.ts';
import type { Opening } from './options.ts';
import type { ControllerParts } from './parts.ts';
import { keepProvider } from './signing-keys.ts';

/** Starts the background work of a controller, which stops with `core.background`. */
export const beginWork = async (
  { core, events, grantEnds }: Pick<ControllerParts, 'core' | 'events' | 'grantEnds'>,
  { member, provider, backups }: Pick<Opening, 'member' | 'provider' | 'backups'>,
  authority: KeptAuthority | undefined,
): Promise<void> => {
  await grantEnds.begin();
  prefetchKeys(events, core);
  closeConnectionsOnChange(events, core);
  emitEntityEvents(core, events);
  emitTerminatorEvents(core, events);
  if (member) await joinNetwork(core, member);
  if (provider) keepProvider(core);
  if (authority) logEndingSoon(core, authority);
  announceExpiries(core);
  dropOldRecords(core);
  if (backups) keepBackups(core, backups);
  dropOldUsage(core);
  // Resumes unfinished work of a controller that was closed or crashed.
  core.reviewSessions();
};
