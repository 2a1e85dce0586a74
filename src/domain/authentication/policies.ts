import { authPolicy } from '../../api/auth-policies.ts';
import { identity } from '../../api/identities.ts';
import type { Entities } from '../../changes/entities.ts';
import { ApiError, notFoundField } from '../../errors/index.ts';
import { and, equals, flag, text } from '../../query/index.ts';
import { behaviour } from '../../resources/behaviours.ts';
import { kindOf } from '../../resources/kinds.ts';
import { keepWayIn } from '../identity/way-in.ts';

export const authPolicyBehaviour = behaviour(authPolicy, {
  check: async (entities, after) => {
    for (const [i, id] of after.primary.extJwt.allowedSigners.entries())
      await requireSigner(entities, `primary.extJwt.allowedExtJwtSigners[${i}]`, id);
    if (after.secondary.requireExtJwtSigner)
      await requireSigner(entities, 'secondary.requiredExtJwtSigner', after.secondary.requireExtJwtSigner);
    const administrators = await entities.list(identity, {
      where: and(equals(flag('isDefaultAdmin'), true), equals(text('authPolicyId'), after.id ?? '')),
    });
    for (const administrator of administrators) await keepWayIn(entities, administrator.id, after);
    return undefined;
  },
  guard: async (_entities, row) => {
    if (row.id === 'default')
      throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        cause: { field: 'authPolicyId', reason: 'the default policy holds for every identity that names no other', value: row.id },
      });
  },
  // The one leaf that is left out while it is unset.
  present: async (_entities, rows) =>
    rows.map(({ secondary: { requireTotp, requireExtJwtSigner } }) => ({
      secondary: requireExtJwtSigner ? { requireExtJwtSigner, requireTotp } : { requireTotp },
    })),
});

const requireSigner = async (entities: Entities, field: string, id: string): Promise<void> => {
  const signers = kindOf('externalJwtSigner');
  if (!signers || !(await entities.get(signers, id))) throw notFoundField(field, 'externalJwtSigner', id);
};
