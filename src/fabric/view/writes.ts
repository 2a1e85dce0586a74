/** Writes routers and services in the fabric API, by the rules that their kinds have in the management API. */
import type { Call } from '../../call/call.ts';
import type { Handlers } from '../../call/implement.ts';
import { crudHandlers } from '../../call/resources/crud.ts';
import { newRow } from '../../call/resources/merge.ts';
import type { routerWrites, serviceWrites } from '../../contract/api/fabric-writes.ts';
import { router } from '../../contract/api/kinds.ts';
import type { DecodedOf, RowOf } from '../../contract/api/kit/index.ts';
import { edgeRouter, edgeRouters } from '../../contract/api/routers.ts';
import { service, services } from '../../contract/api/services.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { addEnrollment } from '../../identity/enrollment/behaviour.ts';
import { equals, or, stringField } from '../../query/index.ts';
import { routerHandlers } from '../routers/handlers.ts';
import { fabricSelf } from './references.ts';

const edgeRouterHandlers = crudHandlers(edgeRouters, edgeRouter);
const serviceHandlers = crudHandlers(services, service);

type Patch = DecodedOf<(typeof routerWrites)['patch']>['body'];

/** Edge routers are changed, too. Their fields that this API does not show stay as they are. */
const changeRouter = async (call: Call, id: string, { fingerprint, ...body }: Patch) => {
  const row = await call.read((entities) => entities.require(router, id));
  requireSameFingerprint(row, fingerprint);
  await (row.isEdgeRouter ? edgeRouterHandlers : routerHandlers).patch(call, { id, body });
  return {};
};

const requireSameFingerprint = ({ fingerprint }: Pick<RowOf<typeof router>, 'fingerprint'>, given: string | undefined): void => {
  if (given !== undefined && given !== fingerprint)
    throw invalidField('fingerprint', 'the fingerprint of a router changes only when it enrolls: omit it, or give the current one', given);
};

/** The current certificate of a router, and one that it has been offered, which becomes the current one when it confirms. */
const CERTIFIED_BY = ['fingerprint', 'unverifiedFingerprint'] as const;

export const routerWriteHandlers: Handlers<typeof routerWrites> = {
  create: async (call, { body: { id, fingerprint, disabled = false, tags = {}, ...body } }) => {
    await call.write(async (entities) => {
      if (await entities.get(router, id)) throw invalidField('id', 'another router has this id', id);
      if (fingerprint && (await entities.find(router, or(...CERTIFIED_BY.map((field) => equals(stringField(field), fingerprint))))))
        throw invalidField('fingerprint', 'another router has this certificate', fingerprint);
      await entities.insert(
        router,
        newRow(router, { ...body, disabled, tags }, { id, ...(fingerprint ? { fingerprint, isVerified: true } : {}) }),
      );
      if (!fingerprint) await addEnrollment(entities, call, { transitRouterId: id, method: 'trott' });
    });
    return { _links: fabricSelf('routers', id), id };
  },
  replace: (call, { id, body }) => changeRouter(call, id, { disabled: false, tags: {}, ...body }),
  patch: (call, { id, body }) => changeRouter(call, id, body),
  delete: routerHandlers.delete,
};

/** The values of the fields that a replace omits. */
const SERVICE_DEFAULTS = { terminatorStrategy: 'smartrouting', maxIdleTimeMillis: 0, tags: {} } as const;

export const serviceWriteHandlers: Handlers<typeof serviceWrites> = {
  // The fabric API does not know the field; clients encrypt unless an administrator says otherwise.
  create: (call, { body }) => serviceHandlers.create(call, { body: { ...body, encryptionRequired: true } }),
  replace: (call, { id, body }) => serviceHandlers.patch(call, { id, body: { ...SERVICE_DEFAULTS, ...body } }),
  patch: (call, { id, body }) => serviceHandlers.patch(call, { id, body }),
  delete: (call, { id }) => serviceHandlers.delete(call, { id }),
};
