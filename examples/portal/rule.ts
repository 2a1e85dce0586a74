import type { HostRule } from '../../src/index.ts';
import type { User } from './users.ts';

/**
 * Users may enroll and manage their own devices, and team administrators all devices of their team. Everything else is denied, except
 * logins of devices.
 */
export const portalRule =
  (find: (actor: string) => Promise<User | undefined>): HostRule =>
  async ({ actor, about, right }) => {
    if (actor.kind !== 'host') return undefined;
    const user = await find(actor.name);
    if (!user) return false;
    // The enrollment tokens of devices.
    if (about === 'credentials') return right === 'enrollment.create';
    if (!right?.startsWith('identity.')) return false;
    const where = user.isTeamAdmin ? `anyOf(roleAttributes) = "${user.team}"` : `tags.owner = "${user.actor}"`;
    return { where, roleAttributes: (attribute) => attribute === user.team };
  };
