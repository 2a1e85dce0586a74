/** The guided setups: what they create, and which rights they need. */
import { hrefOf } from '../router.ts';
import type { Session } from '../session.ts';
import { settings } from '../settings.ts';

export type WayName = 'publish-service' | 'add-identity' | 'add-router' | 'connect-provider' | 'trust-authority';

export interface Way {
  /** The last segment of its address. */
  readonly name: WayName;
  /** The group of what it creates, whose list links to it. */
  readonly group: string;
  /** The guide that explains what it creates. */
  readonly guide: string;
  /** The operations that it cannot do without. */
  readonly needs: readonly (readonly [group: string, verb: string])[];
}

const WAYS: readonly Way[] = [
  {
    name: 'publish-service',
    group: 'services',
    guide: 'concepts',
    needs: [
      ['configTypes', 'list'],
      ['configs', 'create'],
      ['services', 'create'],
      ['services', 'get'],
      ['servicePolicies', 'create'],
    ],
  },
  {
    name: 'add-identity',
    group: 'identities',
    guide: 'enrolling-a-device',
    needs: [
      ['identities', 'create'],
      ['identities', 'get'],
    ],
  },
  {
    name: 'add-router',
    group: 'edgeRouters',
    guide: 'routers',
    needs: [
      ['edgeRouters', 'create'],
      ['edgeRouters', 'get'],
    ],
  },
  {
    name: 'connect-provider',
    group: 'externalJwtSigners',
    guide: 'logins',
    needs: [
      ['externalJwtSigners', 'create'],
      ['externalJwtSigners', 'get'],
    ],
  },
  {
    name: 'trust-authority',
    group: 'cas',
    guide: 'own-certificate-authority',
    needs: [
      ['cas', 'create'],
      ['cas', 'get'],
      ['cas', 'verify'],
    ],
  },
];

/** The setups that the session may carry out; none if the host has disabled forms. */
export const waysFor = ({ may }: Session): readonly Way[] =>
  settings.features.includes('entities') ? WAYS.filter(({ needs }) => needs.every(([group, verb]) => may(group, verb))) : [];

/** The setup that creates entities of a group; undefined if the session may not carry it out. */
export const wayOf = (session: Session, group: string): Way | undefined => waysFor(session).find((each) => each.group === group);

/** Its address. */
export const wayHref = (session: Session, group: string): string | undefined => {
  const way = wayOf(session, group);
  return way && hrefOf(['setup', way.name]);
};
