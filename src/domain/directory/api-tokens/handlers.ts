import { apiTokens, currentApiTokens, DEFAULT_OVERLAP } from '../../../api/api-tokens.ts';
import { apiToken } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { identityOf } from '../../../call/actor.ts';
import type { Call } from '../../../call/call.ts';
import { implement } from '../../../call/implement.ts';
import type { Entities } from '../../../entities/entities.ts';
import { explained, notFound } from '../../../errors/index.ts';
import { isoTime, MINUTE } from '../../../platform/clock.ts';
import { equals, stringField } from '../../../query/index.ts';
import { crudHandlers, deleteRow, listRows } from '../../../resources/crud.ts';
import { selfLink } from '../../../resources/links.ts';
import { newRow } from '../../../resources/merge.ts';
import { newId } from '../../../storage/ids.ts';
import { hashToken } from '../../../tokens/opaque.ts';
import { apiTokenOf } from '../../../wire/api-token.ts';
import { assertHeldByCaller, checkNewToken } from './behaviour.ts';

type Token = RowOf<typeof apiToken>;
/** The fields of a new token that have no default, and those that have one. */
type Body = Pick<Token, 'identityId' | 'name' | 'expiresAt'> & {
  readonly [F in 'isAdmin' | 'permissions' | 'scopedPermissions' | 'addressRanges' | 'tags']?: Token[F] | null | undefined;
};
type Find = (entities: Entities, call: Call, id: string) => Promise<Token>;
interface Rotation {
  readonly id: string;
  readonly body?: { readonly overlapMinutes: number } | undefined;
}

const newSecret = (call: Call, id: string): string => apiTokenOf(id, newId(call.core.platform.random));

const create = async (call: Call, { isAdmin, permissions, scopedPermissions, addressRanges, tags, ...required }: Body) => {
  const id = newId(call.core.platform.random);
  const secret = newSecret(call, id);
  const token = {
    ...required,
    isAdmin: isAdmin ?? false,
    permissions: permissions ?? [],
    scopedPermissions: scopedPermissions ?? null,
    addressRanges: addressRanges ?? [],
    tags: tags ?? {},
  };
  await call.write(async (entities) => {
    await checkNewToken(entities, token, call);
    await entities.insert(apiToken, newRow(apiToken, token, { id, secretHash: hashToken(secret) }));
  });
  return { _links: selfLink(apiToken, id), id, secret };
};

/** Replaces the secret. The replaced one remains valid for a while; the one before it ends, so that there are never more than two. */
const rotate = async (call: Call, { id, body: { overlapMinutes } = { overlapMinutes: DEFAULT_OVERLAP } }: Rotation, find: Find) => {
  const secret = newSecret(call, id);
  const previousSecretEndsAt = isoTime(Date.parse(call.now()) + overlapMinutes * MINUTE);
  await call.write(async (entities) => {
    const row = await find(entities, call, id);
    assertHeldByCaller(row, call);
    await entities.update(apiToken, row, { secretHash: hashToken(secret), previousSecretHash: row.secretHash, previousSecretEndsAt });
  });
  return { secret, previousSecretEndsAt };
};

const any: Find = (entities, _call, id) => entities.require(apiToken, id);

const ofCaller: Find = async (entities, call, id) => {
  const row = await entities.require(apiToken, id);
  if (row.identityId !== identityOf(call.actor).id) throw notFound(apiToken.kind, id);
  return row;
};

/** @throws ApiError `NOT_CONFIGURED` unless the host lets identities have tokens that no administrator gave them */
const assertOwnAllowed = ({ core }: Call): void => {
  if (!core.settings.ownApiTokens)
    throw explained('NOT_CONFIGURED', 'only administrators create and rotate API tokens here: the setting ownApiTokens is false');
};

export const apiTokenEntries = [
  ...implement(apiTokens, {
    ...crudHandlers(apiTokens, apiToken),
    create: (call, { body }) => create(call, body),
    rotate: (call, input) => rotate(call, input, any),
  }),
  ...implement(currentApiTokens, {
    list: (call, query) =>
      call.read((entities) =>
        listRows(entities, apiToken, query, call, { within: equals(stringField('identityId'), identityOf(call.actor).id) }),
      ),
    create: async (call, { body }) => {
      assertOwnAllowed(call);
      return create(call, { ...body, identityId: identityOf(call.actor).id });
    },
    rotate: (call, input) =>
      rotate(call, input, async (entities, _call, id) => {
        const row = await ofCaller(entities, call, id);
        assertOwnAllowed(call);
        return row;
      }),
    delete: async (call, { id }) => {
      await call.write(async (entities) => {
        await ofCaller(entities, call, id);
        await deleteRow(entities, apiToken, id, call);
      });
      return {};
    },
  }),
];
