import { useMemo, useState } from 'preact/hooks';
import type { Identity } from '../../../client/index.ts';
import { FieldInvalid } from '../entered.ts';
import { previewOf } from '../kinds.ts';
import { ChangeDialog } from '../parts/change-dialog.tsx';
import { Enrollment } from '../parts/enrollment.tsx';
import { goTo, hrefOf } from '../router.ts';
import { client, type Session } from '../session.ts';
import { texts } from '../texts.ts';
import { Created } from './created.tsx';
import { fieldsOfGroup, ownField } from './fields.ts';
import { useFollowed } from './followed.ts';
import { Steps, useSetup } from './steps.tsx';
import type { WayProps } from './way-props.ts';

const t = texts.setup.identity;

/** Who joins by which enrollment. */
type Kind = keyof typeof t.kinds;
const KINDS: readonly Kind[] = ['device', 'person'];

/** The entries, as `bodyIn` returns them. */
interface Entries {
  readonly name: string;
  readonly kind: Kind;
  readonly username?: string;
  readonly roleAttributes?: readonly string[];
  readonly authPolicyId?: string;
}

/** The body that creates the identity and its enrollment. */
const bodyOf = ({ name, kind, username = name, ...access }: Entries) => {
  const hasPassword = kind === 'person';
  return {
    ...access,
    name,
    type: hasPassword ? ('User' as const) : ('Device' as const),
    isAdmin: false,
    enrollment: hasPassword ? { updb: username } : { ott: true },
  };
};

/** Runs a call that creates the identity, and reports errors about the username at its field. */
const withUsernameErrors = async <T,>(call: Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (error) {
    const { field, reason } = Object(Object(error).cause) as Readonly<Record<string, unknown>>; // missing members are undefined
    throw field === USERNAME ? new FieldInvalid('username', String(reason).replace(`${USERNAME} in body`, t.username)) : error;
  }
};

const USERNAME = 'enrollment.updb';

/** Creates an identity with an enrollment, and shows how it joins. */
export const AddIdentity = ({ session, query }: WayProps) => {
  const fields = useMemo(
    () => [
      ...fieldsOfGroup(session, 'identities', ['name']),
      ownField('kind', 'choice', { isRequired: true, choices: KINDS, choiceTexts: t.kinds }),
      ownField('username', 'text', { maxLength: 100 }),
      ...fieldsOfGroup(session, 'identities', ['roleAttributes', 'authPolicyId']),
    ],
    [],
  );
  const setup = useSetup('add-identity', fields);
  const [isConfirming, setConfirming] = useState(false);
  if (query['id'] !== undefined) return <Joining session={session} id={query['id']} />;
  const hasPassword = setup.state.shown['kind'] === 'person';
  const isOfAccess = (name: string): boolean => name === 'roleAttributes' || name === 'authPolicyId';
  const body = () => bodyOf(setup.body() as unknown as Entries); // the fields above
  return (
    <>
      <Steps
        setup={setup}
        steps={[
          { ...t.steps.who, fields: fields.filter(({ name }) => !isOfAccess(name) && (hasPassword || name !== 'username')) },
          { ...t.steps.access, fields: fields.filter(({ name }) => isOfAccess(name)) },
        ]}
        at={query['step']}
        action={t.action}
        finish={() => setConfirming(true)}
      />
      {isConfirming && (
        <ChangeDialog
          title={texts.setup.ways['add-identity'].title}
          action={t.action}
          name="setup/add-identity"
          preview={(options) => withUsernameErrors(previewOf('identities').create({ body: body() }, options))}
          carryOut={async (options) => {
            const { id } = await withUsernameErrors(client.identities.create({ body: body() }, options));
            setup.state.startOver();
            goTo(hrefOf(['setup', 'add-identity'], { id }), { isReplacing: true });
          }}
          refused={setup.refuse}
          close={() => setConfirming(false)}
        />
      )}
    </>
  );
};

const isOnline = ({ hasApiSession, hasEdgeRouterConnection }: Identity): boolean => hasApiSession || hasEdgeRouterConnection;
const hasEnrolled = ({ authenticators }: Identity): boolean => Object.keys(authenticators).length > 0;

/** A new identity, until it is online. */
const Joining = ({ session, id }: { readonly session: Session; readonly id: string }) => {
  const loaded = useFollowed(session, `joining ${id}`, {
    kinds: ['identity', 'authenticator', 'enrollment'],
    read: (signal) => client.identities.get({ id }, { signal }),
    isDone: isOnline,
  });
  const identity = loaded.value;
  return (
    <Created
      loaded={loaded}
      way="add-identity"
      title={t.created(identity?.name ?? '')}
      ticks={
        identity
          ? [
              { key: 'created', isDone: true, text: t.status.created },
              { key: 'enrolled', isDone: hasEnrolled(identity), text: t.status.enrolled },
              { key: 'online', isDone: isOnline(identity), text: t.status.online },
            ]
          : []
      }
      links={[{ text: t.open, segments: ['entities', 'identities', id] }]}
      another={t.another}
    >
      {identity && <Enrollment identity={identity} isNew />}
    </Created>
  );
};
