import type { Core } from '../../call/core.ts';
import { MAX_VALIDATED_TERMINATORS } from '../../contract/api/validations.ts';
import { isApiError } from '../../contract/errors/index.ts';
import type { Api } from '../../contract/types/api.ts';
import type { FabricRouter } from '../../contract/types/fabric-routers.ts';
import type { FabricTerminator } from '../../contract/types/fabric-terminators.ts';
import { Malformed } from '../../fabric/control-channel/malformed.ts';
import { validationMessages } from '../../fabric/control-channel/messages/validations.ts';
import { inBatches } from '../../runtime/concurrency/event-loop.ts';
import { MINUTE, monotonic } from '../../runtime/platform/clock.ts';
import { NotValidated } from './inspected-values.ts';
import { comparedCircuits, comparedIdentities, comparedLinks, comparedTerminators } from './router-validations.ts';

/** The operations that validations use, with the rights of the caller. */
export type ValidationApi = Pick<
  Api,
  'currentIdentity' | 'fabricRouters' | 'fabricTerminators' | 'links' | 'circuits' | 'inspections' | 'validations'
>;

/** The access of validations to the routers and their state. */
export type ValidationCore = Pick<Core, 'controllerId' | 'presence' | 'platform'>;

/** A validation that has begun: the number of its results, and their encodings as they come. */
export interface BegunValidation {
  readonly count: number;
  readonly results: AsyncIterable<Uint8Array>;
}

/** A validation that operators can request. */
export interface Validation {
  readonly answer: (typeof validationMessages)['links']['answer'];
  readonly resultType: number;
  /** @throws ValidationRefused; errors of the operations, such as a right that the caller has lost */
  begin(body: Uint8Array): Promise<BegunValidation>;
}

/** The reason why a request is refused, for the client. */
export class ValidationRefused extends Error {
  override readonly name = 'ValidationRefused';
}

/** Maximum numbers of routers and terminators of a request. */
const MAX_ROUTERS = 1000;
const MAX_TERMINATORS = 10_000;
/** Number of routers that are asked concurrently. */
const CONCURRENCY = 10;
/** Time limit for all routers of a request. ms */
const TIMEOUT = 5 * MINUTE;

/** The messages of a validation. */
interface Messages<Q> {
  readonly request: { readonly contentType: number; decode(body: Uint8Array): Q };
  readonly answer: Validation['answer'];
  readonly result: { readonly contentType: number };
}

/** The validations, by the content type of their request. Each has as many results as its answer promises. */
export const createValidations = (api: ValidationApi, core: ValidationCore): ReadonlyMap<number, Validation> => {
  const { controllerId, presence, platform } = core;
  const { clock } = platform;

  /**
   * Reads a request, and what it selects.
   * @throws ValidationRefused
   */
  const requested = async <Q, T>({ request }: Messages<Q>, body: Uint8Array, list: (asked: Q) => Promise<readonly T[]>, max: number) => {
    const { isAdmin } = await api.currentIdentity.get();
    if (!isAdmin) throw new ValidationRefused('validations are for administrators');
    try {
      const asked = request.decode(body);
      const selected = await list(asked);
      if (selected.length > max) throw new ValidationRefused(`a filter may select at most ${max} of them`);
      return { asked, selected };
    } catch (error) {
      if (!(error instanceof Malformed) && !(isApiError(error) && error.status === 400)) throw error;
      throw new ValidationRefused(`failed to unmarshall request: ${error.message}`);
    }
  };
  /** Works on items, some of them concurrently, and yields the results in their order. Items for which no time is left are late. */
  async function* resultsOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>, late: (item: T) => R): AsyncGenerator<R, void> {
    const end = monotonic(clock) + TIMEOUT;
    for (const part of inBatches(items, () => 1, CONCURRENCY))
      yield* await Promise.all(part.map((item) => (monotonic(clock) < end ? work(item) : late(item))));
  }

  /** A validation with one result for each selected router. */
  const ofRouters = <Q extends { readonly filter: string }>(
    messages: Messages<Q>,
    examine: (router: FabricRouter, asked: Q) => Promise<Uint8Array>,
    failed: (router: FabricRouter, reason: string) => Uint8Array,
  ): readonly [number, Validation] => {
    const list = async ({ filter }: Q) => (await api.fabricRouters.list(filter === '' ? {} : { filter })).data;
    const begin: Validation['begin'] = async (body) => {
      const { asked, selected } = await requested(messages, body, list, MAX_ROUTERS);
      const examined = async (router: FabricRouter): Promise<Uint8Array> => {
        if (!router.connected) return failed(router, 'router not connected');
        try {
          return await examine(router, asked);
        } catch (error) {
          if (error instanceof NotValidated || isApiError(error)) return failed(router, error.message);
          platform.logger.warn('a router could not be validated', { routerId: router.id, error });
          return failed(router, 'the router could not be validated');
        }
      };
      return { count: selected.length, results: resultsOf(selected, examined, (router) => failed(router, OUT_OF_TIME)) };
    };
    return [messages.request.contentType, { answer: messages.answer, resultType: messages.result.contentType, begin }];
  };
  const { terminators, links, sdkTerminators, tunnelTerminators, dataModel, identityConnections, circuits, controllerDialers } =
    validationMessages;

  const checkTerminators = async (batch: readonly FabricTerminator[], fix: boolean): Promise<readonly Uint8Array[]> => {
    const [{ routerId }] = batch as readonly [FabricTerminator]; // no batch is empty
    const input = { id: routerId, body: { terminators: batch.map(({ id }) => id) } };
    let reason = 'the terminator is gone';
    const asked = fix ? api.validations.repairTerminators(input) : api.validations.terminators(input);
    const answer = await asked.catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      reason = error.message;
      return { terminators: [] };
    });
    const states = new Map(answer.terminators.map((each) => [each.id, each]));
    return batch.map((terminator) => {
      const { state, detail, fixed } = states.get(terminator.id) ?? { state: 'unknown' as const, detail: reason, fixed: false };
      return terminators.result.encode({ ...ofTerminator(terminator), state, fixed, detail });
    });
  };
  const late = (batch: readonly FabricTerminator[]) =>
    batch.map((terminator) => terminators.result.encode({ ...ofTerminator(terminator), state: 'unknown', detail: OUT_OF_TIME }));
  const beginTerminators: Validation['begin'] = async (body) => {
    const list = async ({ filter }: { readonly filter: string }) =>
      (await api.fabricTerminators.list({ filter: filter === '' ? `true limit ${MAX_TERMINATORS + 1}` : filter })).data;
    const { asked, selected } = await requested(terminators, body, list, MAX_TERMINATORS);
    const batches = [...Map.groupBy(selected, ({ routerId }) => routerId).values()].flatMap((ofOne) => [
      ...inBatches(ofOne, () => 1, MAX_VALIDATED_TERMINATORS),
    ]);
    async function* results() {
      for await (const encoded of resultsOf(batches, (batch) => checkTerminators(batch, asked.fix), late)) yield* encoded;
    }
    return { count: selected.length, results: results() };
  };

  const connectedIds = () => new Set(presence.keys().map(({ id }) => id));
  const failedRouter = (router: FabricRouter, message: string) => ({ ...ofRouter(router), validateSuccess: false, message });
  const failedComponent = (router: FabricRouter, reason: string) => ({ ...ofComponent(router), validateSuccess: false, errors: [reason] });
  /** Routers dial this controller, never the reverse. The words are those of a controller of the 2.x line that does not dial either. */
  const beginControllerDialers: Validation['begin'] = async (body) => {
    await requested(controllerDialers, body, async () => [], 0);
    throw new ValidationRefused('controller dialer is not enabled');
  };
  return new Map<number, Validation>([
    [
      controllerDialers.request.contentType,
      { answer: controllerDialers.answer, resultType: controllerDialers.result.contentType, begin: beginControllerDialers },
    ],
    [terminators.request.contentType, { answer: terminators.answer, resultType: terminators.result.contentType, begin: beginTerminators }],
    ofRouters(
      links,
      async (router) => links.result.encode({ ...validated(router), details: await comparedLinks(api, router.id, connectedIds()) }),
      (router, reason) => links.result.encode(failedRouter(router, reason)),
    ),
    ofRouters(
      sdkTerminators,
      async (router) =>
        sdkTerminators.result.encode({ ...validated(router), details: await comparedTerminators(api, router.id, 'sdk-terminators') }),
      (router, reason) => sdkTerminators.result.encode(failedRouter(router, reason)),
    ),
    ofRouters(
      tunnelTerminators,
      async (router) =>
        tunnelTerminators.result.encode({ ...validated(router), details: await comparedTerminators(api, router.id, 'ert-terminators') }),
      (router, reason) => tunnelTerminators.result.encode(failedRouter(router, reason)),
    ),
    ofRouters(
      circuits,
      async (router) => circuits.result.encode({ ...validated(router), details: await comparedCircuits(api, router.id, controllerId) }),
      (router, reason) => circuits.result.encode(failedRouter(router, reason)),
    ),
    ofRouters(
      dataModel,
      async (router, { fix }) => {
        const { id } = router;
        const { reason, differences } = await (fix ? api.validations.repairDataModel({ id }) : api.validations.dataModel({ id }));
        if (reason !== null) throw new NotValidated(reason);
        return dataModel.result.encode({ ...ofComponent(router), validateSuccess: differences.length === 0, errors: [...differences] });
      },
      (router, reason) => dataModel.result.encode(failedComponent(router, reason)),
    ),
    ofRouters(
      identityConnections,
      async (router) => {
        const errors = await comparedIdentities(api, router.id, presence.identitiesAt(router.id));
        return identityConnections.result.encode({ ...ofComponent(router), validateSuccess: true, errors });
      },
      (router, reason) => identityConnections.result.encode(failedComponent(router, reason)),
    ),
  ]);
};

const OUT_OF_TIME = 'other routers have used up the time';

const ofRouter = ({ id, name }: FabricRouter) => ({ routerId: id, routerName: name });

const validated = (router: FabricRouter) => ({ ...ofRouter(router), validateSuccess: true });

const ofComponent = ({ id, name }: FabricRouter) => ({ componentType: 'router', componentId: id, componentName: name });

const ofTerminator = ({ id, serviceId, service, routerId, router, binding, address, hostId, createdAt }: FabricTerminator) => ({
  terminatorId: id,
  serviceId,
  serviceName: service.name ?? '',
  routerId,
  routerName: router.name ?? '',
  binding,
  address,
  hostId,
  createDate: createdAt,
});
