/** Handlers of the access matrix: all pairs, those of a service, and those of an identity. */
import type { Call } from '../../call/call.ts';
import { filteredBy } from '../../call/resources/filtered.ts';
import { MAX_PAGE_SIZE, pageSize } from '../../call/resources/lists.ts';
import { decodePageCursor, encodePageCursor } from '../../call/resources/page-cursor.ts';
import type { access } from '../../contract/api/explain.ts';
import { identity, service } from '../../contract/api/kinds.ts';
import type { DecodedOf, OutputOf } from '../../contract/api/kit/index.ts';
import { and, equals, stringField } from '../../query/index.ts';
import type { Entities } from '../../store/entities/entities.ts';
import type { PairPosition } from '../report/pair-position.ts';
import { identitiesReaching, type MatrixSelection, matrixPage, matrixPosition } from './matrix.ts';
import { presentPairs } from './present.ts';

type Operations = (typeof access)['operations'];
type Page = Pick<DecodedOf<Operations['matrix']>, 'type' | 'limit' | 'after'>;

/** Default number of entries per page. */
const DEFAULT_ENTRIES = 100;
const ID = stringField('id');

const answerPage = async (
  entities: Entities,
  call: Call,
  { type, limit, after }: Page,
  within: Pick<MatrixSelection, 'identities' | 'services'>,
): Promise<OutputOf<Operations['matrix']>> => {
  const selection = { ...within, type, limit: Math.min(pageSize(limit, DEFAULT_ENTRIES), MAX_PAGE_SIZE), after: decodePosition(after) };
  const { pairs, next } = await matrixPage(entities, selection);
  const entries = [...(await presentPairs(entities, call, pairs))];
  const last = entries.length < pairs.length ? pairs[entries.length - 1] : undefined;
  const position = last ? matrixPosition(last) : next;
  return { entries, ...(position ? { next: encodePosition(position) } : {}) };
};

/** The position after all pairs of an identity has neither a service nor a type. */
const encodePosition = ([identityName = '', serviceName = '', type = '']: PairPosition): string =>
  encodePageCursor([identityName, serviceName, type]);

const decodePosition = (after: string | undefined): PairPosition | undefined => {
  const position = after === undefined ? undefined : decodePageCursor(after, 3);
  return position?.at(-1) === '' ? position.slice(0, 1) : position;
};

export const matrixHandlers = {
  matrix: (call: Call, { identities, services, ...page }: DecodedOf<Operations['matrix']>) =>
    call.read(async (entities) =>
      answerPage(entities, call, page, {
        identities: await filteredBy(entities, identity, identities, call),
        services: await filteredBy(entities, service, services, call),
      }),
    ),
  whoCan: (call: Call, { serviceId, ...page }: DecodedOf<Operations['whoCan']>) =>
    call.read(async (entities) => {
      const row = await entities.require(service, serviceId);
      const permitted = await identitiesReaching(entities, row, page.type);
      return answerPage(entities, call, page, {
        identities: and(await filteredBy(entities, identity, undefined, call), permitted),
        services: equals(ID, row.id),
      });
    }),
  reach: (call: Call, { identityId, ...page }: DecodedOf<Operations['reach']>) =>
    call.read(async (entities) => {
      const row = await entities.require(identity, identityId);
      return answerPage(entities, call, page, {
        identities: equals(ID, row.id),
        services: await filteredBy(entities, service, undefined, call),
      });
    }),
};
