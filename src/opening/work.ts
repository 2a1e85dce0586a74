import { loadKeysEarly } from '../domain/directory/external-jwt-signers/load-keys.ts';
import { endConnectionsOnChange } from '../domain/fabric/connections/endings.ts';
import { joinNetwork, type MemberOptions } from '../domain/maintenance/controllers/membership.ts';
import type { ControllerParts } from './parts.ts';

/** Starts the background work of a controller, which ends with `core.background`. */
export const beginWork = async (
  { core, events }: Pick<ControllerParts, 'core' | 'events'>,
  member: MemberOptions | undefined,
): Promise<void> => {
  loadKeysEarly(events, core);
  endConnectionsOnChange(events, core);
  if (member) await joinNetwork(core, member);
  // Resumes work that a closed or lost controller left.
  core.reviewSessions();
};
