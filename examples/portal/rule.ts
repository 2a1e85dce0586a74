import type { HostRule } from '../../src/index.ts';
import type { User } from './users.ts';

/** Users manage and enroll their own devices, team administrators all devices of their team, and nobody anything else. Logins of devices are as without a rule. */
export const portalRule =
  (find: (actor: string) => Promise<User | undefined>): HostRule =>
  async ({ actor, about, right }) => {
    if (actor.kind !== 'host') return undefined;
    const user = await find(actor.name);
    if (!user) return false;
    // The tokens by which the devices below enroll.
    if (about === 'credentials') return right === 'enrollment.create';
    if (!right?.startsWith('identity.')) return false;
    const where = user.isTeamAdmin ? `anyOf(roleAttributes) = "${user.team}"` : `tags.owner = "${user.actor}"`;
    return { where, roleAttributes: (attribute) => attribute === user.team };
  };
