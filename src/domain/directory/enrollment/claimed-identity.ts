import { externalJwtSigner, identity } from '../../../api/kinds.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { PRINTABLE } from '../../../api/shared.ts';
import type { TokenProof } from '../../../call/actor.ts';
import type { Entities } from '../../../entities/entities.ts';
import { ApiError, explained, invalidField } from '../../../errors/index.ts';
import { equals, stringField } from '../../../query/index.ts';
import { sortedSet } from '../../../query/order.ts';
import { type Claims, claimAt, textIn } from '../../../tokens/token.ts';

/** The fields of a new identity that its token determines. */
export type ClaimedIdentity = Pick<RowOf<typeof identity>, 'name' | 'externalId' | 'roleAttributes' | 'authPolicyId' | 'isAdmin'>;

const UNSET_NAME = externalJwtSigner.fields.enrollNameClaimsSelector.default ?? '';

/** The identity that the claims of a verified token describe. @throws ApiError `INVALID_ENROLLMENT_TOKEN` */
export const claimedIdentity = ({ signer, subject }: TokenProof, claims: Claims): ClaimedIdentity => {
  if (subject.trim() === '') throw lacking('claimsProperty', 'a text that is not blank');
  // Signers that an earlier release stored have no selector yet.
  const name = textIn(claimAt(claims, signer.enrollNameClaimsSelector ?? UNSET_NAME));
  if (name === undefined) throw lacking('enrollNameClaimsSelector', 'a text that is not empty');
  const { enrollAttributeClaimsSelector: selector, enrollAuthPolicyId: authPolicyId } = signer;
  const attributes = attributesIn(selector ? claimAt(claims, selector) : undefined);
  if (!attributes) throw lacking('enrollAttributeClaimsSelector', 'a text or a list of texts');
  return { name, externalId: subject, roleAttributes: sortedSet(attributes), authPolicyId, isAdmin: false };
};

const lacking = (field: keyof RowOf<typeof externalJwtSigner>, what: string): ApiError =>
  explained('INVALID_ENROLLMENT_TOKEN', `the claim that ${field} of the signer selects must be ${what}`);

/** Role attributes in the value of a claim; undefined if it holds anything but texts. */
const attributesIn = (value: unknown): readonly string[] | undefined => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value ?? ''];
  const texts = given.filter((each) => each !== '').map(textIn);
  return texts.includes(undefined) ? undefined : texts.filter((text) => text !== undefined);
};

/**
 * Requires a legal name that no identity has, and legal role attributes. Control characters are refused, because the bearer may have chosen the claims, and
 * terminals of administrators obey them.
 * @throws ApiError `COULD_NOT_VALIDATE` with the field
 */
export const requireLegal = async (entities: Entities, claimed: ClaimedIdentity): Promise<void> => {
  for (const field of ['name', 'externalId', 'roleAttributes'] as const)
    if (![claimed[field]].flat().every((text) => PRINTABLE.test(text ?? '')))
      throw invalidField(field, `${field} may hold no control characters`, undefined);
  for (const field of ['name', 'roleAttributes'] as const) {
    const [issue] = identity.fields[field].schema.safeParse(claimed[field]).error?.issues ?? [];
    if (issue) throw invalidField(field, issue.code === 'custom' ? issue.message : `${field} is too long`, undefined);
  }
  if (await entities.find(identity, equals(stringField('name'), claimed.name)))
    throw invalidField('name', 'name must be unique', undefined);
};

/** Runs a write, and removes the refused value from its error, because the value comes from a token. */
export const withoutValues = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE' && error.cause && 'field' in error.cause)
      throw invalidField(error.cause.field, error.cause.reason, undefined);
    throw error;
  }
};
