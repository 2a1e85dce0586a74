import { useState } from 'preact/hooks';
import { FieldInvalid } from '../../entered.ts';
import { useLoaded } from '../../loaded.ts';
import { bodyFieldsOf } from '../../schema.ts';
import { client, type Session } from '../../session.ts';
import { texts } from '../../texts.ts';
import { ActionForm } from '../action-form.tsx';
import { Problem } from '../problem.tsx';

const t = texts.account.password;

type Rules = Awaited<ReturnType<typeof client.ownAccount.getPasswordRules>>;

const rulesIn = ({ minPasswordLength, ...required }: Rules): string => {
  const parts = (['requireMixedCase', 'requireNumberChar', 'requireSpecialChar'] as const).filter((name) => required[name]);
  return t.rules([t.minLength(minPasswordLength), ...parts.map((name) => t[name])].join(', '));
};

/** Changes the own password, with the current one as proof. */
export const OwnPassword = ({ session }: { readonly session: Session }) => {
  const [isChanged, setChanged] = useState(false);
  const { value, error, reload } = useLoaded('own password', async (signal) => {
    const [{ data }, rules] = await Promise.all([
      client.currentIdentity.listAuthenticators({ filter: 'method = "updb"', limit: 1 }, { signal }),
      client.ownAccount.getPasswordRules({}, { signal }),
    ]);
    return { id: data[0]?.id, rules };
  });
  const fields = bodyFieldsOf(session, 'currentIdentity', 'patchAuthenticator').flatMap((field) => {
    const required = { ...field, isRequired: true, description: undefined };
    if (field.name === 'currentPassword') return [required];
    if (field.name !== 'password') return [];
    return [
      { ...required, description: value && rulesIn(value.rules) },
      { ...required, name: 'repeated' },
    ];
  });
  const change = async ({ repeated, ...body }: Readonly<Record<string, unknown>>): Promise<void> => {
    setChanged(false);
    if (repeated !== body['password']) throw new FieldInvalid('repeated', t.differs);
    // The form has these fields, from the schema of the operation.
    await client.currentIdentity.patchAuthenticator({ id: value?.id ?? '', body: body as { currentPassword: string; password: string } });
    setChanged(true);
  };
  return (
    <section aria-labelledby="own-password">
      <h2 id="own-password">{t.title}</h2>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {value && value.id === undefined && <p>{t.none}</p>}
      {value?.id !== undefined && (
        <ActionForm name="own" fields={fields} labels={t.fields} actions={[{ label: t.change, style: 'primary', act: change }]} />
      )}
      <p role="status">{isChanged && t.changed}</p>
    </section>
  );
};
