import { settings } from '../settings.ts';
import { texts } from '../texts.ts';
import { labelOf } from '../words.ts';

/** The guides about kinds, by group. */
const OF_KINDS: Readonly<Record<string, string>> = {
  identities: 'concepts',
  services: 'concepts',
  servicePolicies: 'concepts',
  edgeRouterPolicies: 'concepts',
  serviceEdgeRouterPolicies: 'concepts',
  configs: 'concepts',
  postureChecks: 'posture',
  policyTests: 'what-if',
  edgeRouters: 'routers',
  transitRouters: 'routers',
  terminators: 'routers',
  authPolicies: 'logins',
  authenticators: 'logins',
  externalJwtSigners: 'logins',
  enrollments: 'enrolling-a-device',
  cas: 'own-certificate-authority',
  apiTokens: 'machine-accounts',
};

/** The guides about fields, wherever they are. */
const OF_FIELDS: Readonly<Record<string, string>> = {
  permissions: 'delegated-administration',
  scopedPermissions: 'delegated-administration',
  validUntil: 'temporary-access',
  postureCheckRoles: 'posture',
  enrollment: 'enrolling-a-device',
  externalIdClaim: 'own-certificate-authority',
  secondary: 'logins',
};

interface Props {
  readonly group?: string;
  /** The name of a field. */
  readonly field?: string;
  readonly name?: string;
}

/** A link to the guide about a kind or a field, if there is one and the host publishes it. It opens in a new tab. */
export const GuideLink = ({ group = '', field = '', name = OF_KINDS[group] ?? OF_FIELDS[field] }: Props) =>
  name === undefined || settings.guides === undefined ? null : (
    <a
      class={field === '' ? 'button' : 'small'}
      href={settings.guides.replace('{name}', name)}
      target="_blank"
      rel="noreferrer"
      aria-label={field === '' ? undefined : `${texts.setup.guide}: ${labelOf(field)}`}
    >
      {texts.setup.guide}
    </a>
  );
