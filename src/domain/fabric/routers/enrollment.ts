import { enrollment } from '../../../api/enrollments.ts';
import type { RowOf } from '../../../api/kit/index.ts';
import { edgeRouter, type router } from '../../../api/routers.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { equals, oneOf, stringField } from '../../../query/index.ts';
import { addEnrollment } from '../../directory/enrollment/behaviour.ts';
import { tokensOf } from '../../directory/enrollment/token.ts';
import { NONE_UNVERIFIED } from './verification.ts';

/** By which field an enrollment points at a router of a kind. */
type Owner = 'edgeRouterId' | 'transitRouterId';

type Unverified = Pick<RowOf<typeof router>, 'id' | 'isVerified'>;

/** The outstanding enrollments of routers without certificates, as their details show them: one query for a page. */
export const routerEnrollmentsOf = async (
  entities: Entities,
  owner: Owner,
  rows: readonly Unverified[],
  call: Call,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> => {
  const ids = rows.filter(({ isVerified }) => !isVerified).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await entities.list(enrollment, { where: oneOf(stringField(owner), ids) });
  const tokens = await tokensOf(call, found);
  return new Map(
    found.map((row, i) => {
      const shown = {
        enrollmentCreatedAt: row.createdAt,
        enrollmentExpiresAt: row.expiresAt,
        enrollmentJwt: tokens[i]?.jwt,
        enrollmentToken: tokens[i]?.token,
      };
      return [row[owner] ?? '', shown] as const;
    }),
  );
};

/** Revokes a router's certificate and enrollment and gives it a new enrollment; its other fields stay. */
export const reEnrollRouter = async (call: Call, { id }: { readonly id: string }) => {
  await call.write(async (entities) => {
    const row = await entities.require(edgeRouter, id);
    for (const each of await entities.list(enrollment, { where: equals(stringField('edgeRouterId'), id) }))
      await entities.remove(enrollment, each);
    await entities.update(edgeRouter, row, unverified);
    await addEnrollment(entities, call, { edgeRouterId: id, method: 'erott' });
  });
  return {};
};

const unverified = {
  isVerified: false,
  enrolledBy: null,
  fingerprint: null,
  certPem: null,
  ...NONE_UNVERIFIED,
} as const;
