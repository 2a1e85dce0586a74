import type { HostRule } from '../../src/index.ts';
import type { User } from './users.ts';

/** Users manage their own devices, team administrators all devices of their team, and nobody anything else. Logins of devices are as without a rule. */
export const portalRule =
  (find: (actor: string) => Promise<User | undefined>): HostRule =>
  async ({ actor, operation }) => {
    if (actor.kind !== 'host') return undefined;
    const user = await find(actor.name);
    if (!user || !operation.right?.startsWith('identity.')) return false;
    return { where: user.isTeamAdmin ? `anyOf(roleAttributes) = "${user.team}"` : `tags.owner = "${user.actor}"` };
  };
