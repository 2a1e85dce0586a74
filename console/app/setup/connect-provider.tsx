import { useMemo } from 'preact/hooks';
import { entityApi } from '../kinds.ts';
import { ReasonField, useReason } from '../parts/reason.tsx';
import { TokenCheck } from '../parts/token-check.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Created } from './created.tsx';
import { discoveryAddress, readDiscovery } from './discovery.ts';
import { fieldsOfGroup, ownField } from './fields.ts';
import { useFollowed } from './followed.ts';
import { Steps, useSetup } from './steps.tsx';
import type { WayProps } from './way-props.ts';

const t = texts.setup.provider;
const MAX_DOCUMENT = 262_144;
const TOKENS = ['jwksEndpoint', 'audience', 'externalAuthUrl', 'clientId', 'scopes', 'targetToken'];
const PEOPLE = ['claimsProperty', 'useExternalId', 'enrollToTokenEnabled', 'enrollNameClaimsSelector'];

const fieldsOf = (session: Session) => ({
  provider: [
    ...fieldsOfGroup(session, 'externalJwtSigners', ['name', 'issuer']),
    ownField('discovery', 'text', { maxLength: MAX_DOCUMENT }),
  ],
  tokens: fieldsOfGroup(session, 'externalJwtSigners', TOKENS).map((field) =>
    field.name === 'jwksEndpoint' ? { ...field, isRequired: true } : field,
  ),
  people: fieldsOfGroup(session, 'externalJwtSigners', PEOPLE),
});

/** Connects an identity provider whose keys are at an address. */
export const ConnectProvider = ({ session, query }: WayProps) => {
  const fields = useMemo(() => fieldsOf(session), []);
  const setup = useSetup('connect-provider', Object.values(fields).flat());
  const reason = useReason('setup/connect-provider');
  if (query['id'] !== undefined) return <Connected session={session} id={query['id']} />;
  const { shown, fill } = setup.state;
  const [issuer, discovery] = [String(shown['issuer']), String(shown['discovery'])];
  const enrolls = shown['enrollToTokenEnabled'] === true;
  const finish = async (): Promise<void> => {
    const { discovery: _, ...body } = setup.body();
    const options = reason.text.trim() ? { reason: reason.text.trim() } : {};
    const { id } = await entityApi('externalJwtSigners').create({ body: { ...body, enabled: true } }, options);
    reason.drop();
    setup.state.startOver();
    goTo(hrefOf(['setup', 'connect-provider'], { id }), { isReplacing: true });
  };
  return (
    <Steps
      setup={setup}
      steps={[
        {
          ...t.steps.provider,
          fields: fields.provider,
          content: <DiscoveryLink issuer={issuer} />,
          check: async () => fill(discovery.trim() === '' ? await discovered(session, issuer) : readDiscovery(discovery, issuer)),
        },
        { ...t.steps.tokens, fields: fields.tokens },
        {
          ...t.steps.people,
          fields: fields.people.filter(({ name }) => enrolls || name !== 'enrollNameClaimsSelector'),
          content: <ReasonField reason={reason} />,
        },
      ]}
      at={query['step']}
      action={t.action}
      finish={finish}
    />
  );
};

/** The addresses that the controller finds; none if it finds no metadata, or the session may not ask it to. */
const discovered = async (session: Session, issuer: string): Promise<Readonly<Record<string, string>>> => {
  if (!session.may('externalJwtSigners', 'discover') || discoveryAddress(issuer) === undefined) return {};
  const { jwksEndpoint, externalAuthUrl = '' } = await client.externalJwtSigners.discover({ body: { issuer } });
  return jwksEndpoint === undefined ? {} : { jwksEndpoint, externalAuthUrl };
};

/** A link to the discovery document, for issuers that the controller cannot reach: the page itself may only call its own controller. */
const DiscoveryLink = ({ issuer }: { readonly issuer: string }) => {
  const address = discoveryAddress(issuer);
  if (address === undefined) return null;
  return (
    <p>
      <a href={address} target="_blank" rel="noreferrer">
        {t.discoveryLink}
      </a>
    </p>
  );
};

const DEFAULT_POLICY = 'default';

/** A provider that was just connected, and what remains to be done. */
const Connected = ({ session, id }: { readonly session: Session; readonly id: string }) => {
  const mayReadPolicies = session.may('authPolicies', 'get');
  const loaded = useFollowed(session, `connected ${id}`, {
    kinds: ['externalJwtSigner', 'authPolicy'],
    read: async (signal) => {
      const [signer, policy] = await Promise.all([
        client.externalJwtSigners.get({ id }, { signal }),
        mayReadPolicies ? client.authPolicies.get({ id: DEFAULT_POLICY }, { signal }) : undefined,
      ]);
      const { allowed = false, allowedSigners = [] } = policy?.primary.extJwt ?? {};
      return { signer, policy, isAllowed: allowed && (allowedSigners.length === 0 || allowedSigners.includes(id)) };
    },
    isDone: () => true,
  });
  const { signer, policy, isAllowed = false } = loaded.value ?? {};
  return (
    <Created
      loaded={loaded}
      way="connect-provider"
      title={t.created(signer?.name ?? '')}
      ticks={[
        { key: 'created', isDone: signer?.enabled === true, text: t.status.created },
        ...(policy ? [{ key: 'policy', isDone: isAllowed, text: t.status.policy(policy.name) }] : []),
      ]}
      links={[
        { text: t.open, segments: ['entities', 'externalJwtSigners', id] },
        ...(session.may('authPolicies', 'list') ? [{ text: t.policies, segments: ['entities', 'authPolicies'] }] : []),
      ]}
    >
      {policy && !isAllowed && <p class="notice warn">{t.policyTodo}</p>}
      {session.may('externalJwtSigners', 'checkToken') && <TokenCheck />}
    </Created>
  );
};
