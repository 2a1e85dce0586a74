import { behaviour } from '../../call/behaviour.ts';
import { authPolicy, externalJwtSigner, identity } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { ApiError, notFoundField } from '../../contract/errors/index.ts';
import { and, booleanField, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { assertAdministrable, requireAdministratorLogin } from '../identities/administration.ts';

export const authPolicyBehaviour = behaviour(authPolicy, {
  check: async (entities, after) => {
    const named = signersOf(after);
    await requireSigners(entities, named);
    const administrators = await entities.list(identity, {
      where: and(equals(booleanField('isDefaultAdmin'), true), equals(stringField('authPolicyId'), after.id ?? '')),
    });
    for (const administrator of administrators) await requireAdministratorLogin(entities, administrator.id, after);
    return { externalJwtSigners: [...new Set(named.map(({ id }) => id))] };
  },
  write: async (entities, after, before, call) => {
    const { requireTotp, requireExtJwtSigner: signer } = after.secondary;
    if (requireTotp && !before?.secondary.requireTotp) await assertAdministrable(entities, call, 'secondary.requireTotp', true);
    if (signer && signer !== before?.secondary.requireExtJwtSigner)
      await assertAdministrable(entities, call, 'secondary.requireExtJwtSigner', signer);
  },
  guard: async (_entities, row) => {
    if (row.id === 'default')
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        cause: { field: 'authPolicyId', reason: 'the default policy applies to every identity without another policy', value: row.id },
      });
  },
  // `requireExtJwtSigner` is the only nested field that is omitted while it is unset.
  present: async (_entities, rows) =>
    rows.map(({ secondary: { requireTotp, requireExtJwtSigner } }) => ({
      secondary: requireExtJwtSigner ? { requireExtJwtSigner, requireTotp } : { requireTotp },
    })),
});

interface NamedSigner {
  /** The field's name in errors. */
  readonly field: string;
  readonly id: string;
}

/** The signers that a policy refers to, each with its field. */
const signersOf = ({ primary, secondary }: Pick<RowOf<typeof authPolicy>, 'primary' | 'secondary'>): readonly NamedSigner[] => [
  ...primary.extJwt.allowedSigners.map((id, i) => ({ field: `primary.extJwt.allowedExtJwtSigners[${i}]`, id })),
  ...(secondary.requireExtJwtSigner ? [{ field: 'secondary.requiredExtJwtSigner', id: secondary.requireExtJwtSigner }] : []),
];

const requireSigners = async (entities: Entities, named: readonly NamedSigner[]): Promise<void> => {
  const ids = named.map(({ id }) => id);
  const existing = new Set(await entities.referenced(externalJwtSigner, 'id', ids));
  const missing = named.find(({ id }) => !existing.has(id));
  if (missing) throw notFoundField(missing.field, externalJwtSigner.kind, missing.id);
};
