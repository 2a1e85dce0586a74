import { identityOf } from '../../call/actor.ts';
import type { Call } from '../../call/call.ts';
import { implement } from '../../call/implement.ts';
import { crudHandlers, deleteRow, listRows } from '../../call/resources/crud.ts';
import { selfLink } from '../../call/resources/links.ts';
import { newRow } from '../../call/resources/merge.ts';
import { apiTokens, currentApiTokens, DEFAULT_OVERLAP } from '../../contract/api/api-tokens.ts';
import { apiToken } from '../../contract/api/kinds.ts';
import type { RowOf } from '../../contract/api/kit/index.ts';
import { explained, notFound } from '../../contract/errors/index.ts';
import { apiTokenOf } from '../../contract/wire/api-token.ts';
import { hashToken } from '../../crypto/tokens/opaque.ts';
import { equals, stringField } from '../../query/index.ts';
import { isoTime, MINUTE } from '../../runtime/platform/clock.ts';
import type { Entities } from '../../store/entities/entities.ts';
import { newId } from '../../store/storage/ids.ts';
import { assertHeldByCaller, checkNewToken } from './behaviour.ts';

type Token = RowOf<typeof apiToken>;
/** The fields of a new token: required ones, and ones with a default. */
type TokenBody = Pick<Token, 'identityId' | 'name' | 'expiresAt'> & {
  readonly [F in 'isAdmin' | 'permissions' | 'scopedPermissions' | 'addressRanges' | 'tags']?: Token[F] | null | undefined;
};
/**
 * Finds the token to rotate.
 * @throws ApiError `NOT_FOUND`, `NOT_CONFIGURED`
 */
type RequireToken = (entities: Entities, call: Call, id: string) => Promise<Token>;
interface Rotation {
  readonly id: string;
  readonly body?: { readonly overlapMinutes: number } | undefined;
}

const newSecret = (call: Call, id: string): string => apiTokenOf(id, newId(call.core.platform.random));

const create = async (call: Call, { isAdmin, permissions, scopedPermissions, addressRanges, tags, ...required }: TokenBody) => {
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

/** Replaces the secret. The previous secret remains valid for the overlap; an earlier one is revoked, so that at most two are valid. */
const rotate = async (
  call: Call,
  { id, body: { overlapMinutes } = { overlapMinutes: DEFAULT_OVERLAP } }: Rotation,
  requireToken: RequireToken,
) => {
  const secret = newSecret(call, id);
  const previousSecretEndsAt = isoTime(Date.parse(call.now()) + overlapMinutes * MINUTE);
  await call.write(async (entities) => {
    const row = await requireToken(entities, call, id);
    assertHeldByCaller(row, call);
    await entities.update(apiToken, row, { secretHash: hashToken(secret), previousSecretHash: row.secretHash, previousSecretEndsAt });
  });
  return { secret, previousSecretEndsAt };
};

const requireAny: RequireToken = (entities, _call, id) => entities.require(apiToken, id);

const requireOwn: RequireToken = async (entities, call, id) => {
  const row = await entities.require(apiToken, id);
  if (row.identityId !== identityOf(call.actor).id) throw notFound(apiToken.kind, id);
  return row;
};

/** @throws ApiError `NOT_CONFIGURED` unless the setting `ownApiTokens` allows identities to create tokens for themselves */
const assertOwnTokensAllowed = ({ core }: Call): void => {
  if (!core.settings.ownApiTokens)
    throw explained('NOT_CONFIGURED', 'only administrators create and rotate API tokens here: the setting ownApiTokens is false');
};

export const apiTokenEntries = [
  ...implement(apiTokens, {
    ...crudHandlers(apiTokens, apiToken),
    create: (call, { body }) => create(call, body),
    rotate: (call, input) => rotate(call, input, requireAny),
  }),
  ...implement(currentApiTokens, {
    list: (call, query) =>
      call.read((entities) =>
        listRows(entities, apiToken, query, call, { within: equals(stringField('identityId'), identityOf(call.actor).id) }),
      ),
    create: async (call, { body }) => {
      assertOwnTokensAllowed(call);
      return create(call, { ...body, identityId: identityOf(call.actor).id });
    },
    rotate: (call, input) =>
      rotate(call, input, async (entities, _call, id) => {
        const row = await requireOwn(entities, call, id);
        assertOwnTokensAllowed(call);
        return row;
      }),
    delete: async (call, { id }) => {
      await call.write(async (entities) => {
        await requireOwn(entities, call, id);
        await deleteRow(entities, apiToken, id, call);
      });
      return {};
    },
  }),
];
