/** The operations that answer who may reach what. */
import type { access } from '../../../api/explain.ts';
import { identity, service } from '../../../api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../../api/kit/index.ts';
import type { Call } from '../../../call/call.ts';
import type { Entities } from '../../../entities/entities.ts';
import { and, equals, stringField } from '../../../query/index.ts';
import { filteredBy } from '../../../resources/filtered.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../../resources/lists.ts';
import { cursorAt, placeAt } from '../../../resources/page-cursor.ts';
import { identitiesReaching, type MatrixQuestion, matrixPage } from './matrix.ts';
import { presentPairs } from './present.ts';

type Operations = (typeof access)['operations'];
type Asked = Pick<DecodedOf<Operations['matrix']>, 'type' | 'limit' | 'after'>;

/** A page is this long unless the caller asks otherwise. */
const DEFAULT_ENTRIES = 100;
const ID = stringField('id');

const answer = async (
  entities: Entities,
  call: Call,
  { type, limit, after }: Asked,
  within: Pick<MatrixQuestion, 'identities' | 'services'>,
): Promise<OutputOf<Operations['matrix']>> => {
  const question = { ...within, type, limit: Math.min(pageSize(limit, DEFAULT_ENTRIES), MAX_PAGE_SIZE), after: positionAt(after) };
  const { pairs, next } = await matrixPage(entities, question);
  return {
    entries: [...(await presentPairs(entities, call, pairs))],
    ...(next ? { next: cursorAt(next) } : {}),
  };
};

const positionAt = (after: string | undefined) =>
  after === undefined ? undefined : placeAt(after, ['string', 'string', 'string']).map(String);

export const matrixHandlers = {
  matrix: (call: Call, { identities, services, ...asked }: DecodedOf<Operations['matrix']>) =>
    call.read(async (entities) =>
      answer(entities, call, asked, {
        identities: await filteredBy(entities, identity, identities, call),
        services: await filteredBy(entities, service, services, call),
      }),
    ),
  whoCan: (call: Call, { serviceId, ...asked }: DecodedOf<Operations['whoCan']>) =>
    call.read(async (entities) => {
      const what = await entities.require(service, serviceId);
      const reaching = await identitiesReaching(entities, what, asked.type);
      return answer(entities, call, asked, {
        identities: and(await filteredBy(entities, identity, undefined, call), reaching),
        services: equals(ID, what.id),
      });
    }),
  reach: (call: Call, { identityId, ...asked }: DecodedOf<Operations['reach']>) =>
    call.read(async (entities) => {
      const who = await entities.require(identity, identityId);
      return answer(entities, call, asked, {
        identities: equals(ID, who.id),
        services: await filteredBy(entities, service, undefined, call),
      });
    }),
};
