import { rowsById } from '../../call/resources/references.ts';
import { service } from '../../contract/api/services.ts';
import { inBatches, yieldToEventLoop } from '../../runtime/concurrency/event-loop.ts';
import type { Budget } from '../control-channel/budget.ts';
import { Malformed } from '../control-channel/malformed.ts';
import { circuitMessages } from '../control-channel/messages/circuits.ts';
import type { MessageBody } from '../control-channel/messages/message-type.ts';
import type { RouterLinks } from '../links/router-links.ts';
import type { ConnectedRouter } from '../registry/connected-routers.ts';
import { type Fabric, forRouters } from '../registry/fabric.ts';
import { type HandlerEntry, handle } from '../registry/message-handlers.ts';
import type { Circuit, CircuitTable } from './circuit-table.ts';
import type { Rerouting } from './rerouting.ts';
import { sendUnroute } from './unroute.ts';

const { fault, circuitConfirmation } = circuitMessages;

/** Dependencies of the handlers of faults. */
export interface FaultDependencies {
  readonly core: Fabric['core'];
  readonly circuits: CircuitTable;
  readonly links: RouterLinks;
  readonly rerouting: Rerouting;
  /** @param isImmediate false: data in transit may arrive first */
  end(circuitId: string, isImmediate: boolean): void;
}

const NANOSECONDS = 1_000_000n;
/** Number of circuits whose services are looked up before yielding to the event loop. */
const BATCH = 500;

/**
 * The price of a reported circuit, in elements, by its consequence: nothing, a message to the router that reported it, or messages to all
 * routers on its path and a write.
 */
const PRICE = { none: 1, unroute: 10, change: 50 } as const;

/** Handlers of reports about circuits and links that have failed, or may have ended. */
export const faultHandlers = (
  { core, circuits, links, rerouting, end }: FaultDependencies,
  router: ConnectedRouter,
): readonly HandlerEntry[] => {
  /** The circuit, if the router is on its path. Other routers may not end it. */
  const ofRouter = (id: string): Circuit | undefined => {
    const circuit = circuits.get(id);
    return circuit?.path.includes(router.id) ? circuit : undefined;
  };
  const isChanging = (id: string): boolean => circuits.isReserved(id) || rerouting.isRerouting(id);

  /**
   * Ends or reroutes the circuits that the router cannot forward.
   * @param ids separated by spaces
   */
  function* forwardFaults(ids: string): Generator<number, void> {
    const broken = new Map<string, Circuit>();
    let count = 0;
    for (const [id] of ids.matchAll(/[^ ]+/g)) {
      if (++count > fault.bounds.elements) throw new Malformed(`a fault concerns more than ${fault.bounds.elements} circuits`);
      const circuit = ofRouter(id);
      if (isChanging(id)) {
        yield PRICE.none;
        continue;
      }
      if (!circuit) sendUnroute(router, id, true);
      else if (circuit.links.length === 0) end(id, true);
      else broken.set(id, circuit);
      yield circuit ? PRICE.change : PRICE.unroute;
    }
    rerouting.reroute([...broken.values()], 'end');
  }

  function* confirm(ids: readonly string[]): Generator<number, void> {
    for (const id of ids) {
      const isGone = !ofRouter(id) && !isChanging(id);
      if (isGone) sendUnroute(router, id, true);
      yield isGone ? PRICE.unroute : PRICE.none;
    }
  }

  /**
   * Ends circuits that have been idle for as long as their services allow, and those whose services are gone. Only the routers at their
   * ends know that.
   * @param idleTimes nanoseconds, by circuit
   */
  const endIdle = async (idleTimes: ReadonlyMap<string, bigint>, budget: Budget): Promise<void> => {
    const idle: { readonly circuit: Circuit; readonly milliseconds: number }[] = [];
    function* select(): Generator<number, void> {
      for (const [id, time] of idleTimes) {
        const circuit = ofRouter(id);
        const isAtEnd = circuit && (circuit.path[0] === router.id || circuit.path.at(-1) === router.id);
        if (isAtEnd && !isChanging(id)) idle.push({ circuit, milliseconds: Number(time / NANOSECONDS) });
        yield PRICE.none;
      }
    }
    await budget.run(select());
    for (const batch of inBatches(idle, () => 1, BATCH)) {
      const ids = batch.map(({ circuit }) => circuit.serviceId);
      const services = await forRouters(core, (job) => job.read((entities) => rowsById(entities, service, ids)));
      for (const { circuit, milliseconds } of batch) {
        const row = services.get(circuit.serviceId);
        const maximum = row?.maxIdleTimeMillis ?? 0;
        if (!row || (maximum > 0 && milliseconds >= maximum)) end(circuit.id, true);
      }
      await yieldToEventLoop();
    }
  };

  const handleFault = (reported: MessageBody<typeof fault>, budget: Budget): void | Promise<void> => {
    const { subject, id } = reported;
    /** The circuits over the link, if the router is at one of its ends. */
    const overLink = () => {
      const all = circuits.over(id);
      budget.spend({ elements: all.length });
      return all.filter(({ path, links: used }) => path.slice(used.indexOf(id), used.indexOf(id) + 2).includes(router.id));
    };
    if (subject === 'ingress' || subject === 'egress') {
      // Only the router at that end of the circuit knows that the connection there has ended.
      if (circuits.get(id)?.path.at(subject === 'ingress' ? 0 : -1) === router.id) end(id, false);
    } else if (subject === 'forward' || subject === 'unknownOwnerForward') {
      return budget.run(forwardFaults(id));
    } else if (subject === 'linkDuplicate') {
      // The routers close the duplicate once it is idle. Until then, circuits without another path may stay on it.
      if (links.removeDuplicate(router, reported)) rerouting.reroute(overLink(), 'keep');
    } else if (subject === 'link') {
      if (links.removeBroken(router, reported)) rerouting.reroute(overLink(), 'end');
    }
  };

  return [
    handle(fault, (reported, _frame, budget) => handleFault(reported, budget)),
    handle(circuitConfirmation, async ({ circuitIds, idleTimes }, _frame, budget) => {
      await budget.run(confirm(circuitIds));
      await endIdle(idleTimes, budget);
    }),
  ];
};
