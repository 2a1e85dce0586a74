import { awaitTurn } from '../../runtime/concurrency/event-loop.ts';
import type { Clock } from '../../runtime/platform/platform.ts';
import { createRepeatedLog } from '../../runtime/platform/repeated-log.ts';
import { createAddressRate } from '../../runtime/platform/request-rate.ts';
import type { Presence } from '../connections/presence.ts';
import { type AcceptedWire, acceptChannel } from '../control-channel/accept.ts';
import { type Budget, createBudget } from '../control-channel/budget.ts';
import type { Wire } from '../control-channel/channel.ts';
import { type ConnectedRouter, createConnectedRouters } from '../registry/connected-routers.ts';
import { type Fabric, pollChanges } from '../registry/fabric.ts';
import type { MessageHandlers } from '../registry/message-handlers.ts';
import { admit, CHANNELS_PER_MINUTE, helloAnswerHeaders } from './admission.ts';
import { createInspectRouters, type InspectRouters } from './inspect.ts';
import { createRouterService } from './router-service.ts';

/** A TLS connection from a router. */
export interface RouterSocket extends Wire {
  /**
   * Certificates from the TLS handshake in DER, leaf first. The handshake has proved possession of the leaf's key; everything else is
   * checked here.
   */
  readonly certificates: readonly Uint8Array[];
  /** For the log. */
  readonly remoteAddress: string;
}

/** Accepts a connection from a router. Socket adapters call it, and must close the connection once `signal` of the result is aborted. */
export type AcceptRouter = (socket: RouterSocket) => AcceptedWire;

/** The control channels of this controller's routers. */
export interface RouterChannels {
  readonly accept: AcceptRouter;
  readonly inspect: InspectRouters;
}

/** Maximum number of unknown content types that are logged per connection. */
const MAX_UNKNOWN_TYPES = 16;

export const createRouterChannels = ({ core, events, publish }: Omit<Fabric, 'connected'>, presence: Presence): RouterChannels => {
  const connected = createConnectedRouters();
  const fabric = { core, events, connected, publish };
  const { clock, logger } = core.platform;
  const inspect = createInspectRouters(fabric);
  const service = createRouterService(fabric, inspect);
  const startPolling = pollChanges(fabric);
  const repeated = createRepeatedLog(core.platform);
  const budgetOf = createRouterBudgets(clock);
  const rate = createAddressRate(clock, CHANNELS_PER_MINUTE);
  const accept: AcceptRouter = (socket) => {
    const { remoteAddress, certificates } = socket;
    let router: ConnectedRouter | undefined;
    let handlers: MessageHandlers = new Map();
    let name = 'the connection of a router';
    const unknown = new Set<number>();
    const details = () => (router ? { routerId: router.id, remoteAddress } : { remoteAddress });
    const accepted = acceptChannel({
      clock,
      wire: socket,
      admit: async (hello, channel) => {
        await service.ready();
        // After a restart, all routers connect at once. Their certificates take a few milliseconds each.
        await awaitTurn();
        const { group, joined, ...admitted } = await admit({ core, presence, connected, rate }, certificates, hello, channel);
        router = admitted.router;
        const budget = budgetOf(router.id);
        if (joined) name = 'a further connection of a router';
        else handlers = service.handlers(router, budget);
        return { headers: helloAnswerHeaders(core, group), budget, priority: group?.priority ?? 'default', ...(joined && { joined }) };
      },
      opened: () => {
        if (!router) return;
        logger.info('a router has connected', details());
        service.onConnect(router, remoteAddress);
        startPolling();
      },
      take: (frame) => {
        const { contentType } = frame;
        const handler = handlers.get(contentType);
        if (handler) return handler(frame);
        if (unknown.has(contentType) || unknown.size === MAX_UNKNOWN_TYPES) return () => undefined;
        unknown.add(contentType);
        return () => logger.info('a router sent a message of an unknown type, which is ignored', { ...details(), contentType });
      },
      note: (message, extra) => repeated('warn', message, { ...details(), ...extra }),
    });
    accepted.signal.addEventListener('abort', () => {
      const reason = String(accepted.signal.reason?.message);
      if (router) logger.info(`${name} has ended`, { ...details(), reason });
      else if (certificates.length === 0)
        repeated('warn', 'a connection to the control port without a client certificate was closed', details());
      else repeated('warn', 'a router was refused', { ...details(), reason });
    });
    if (certificates.length === 0) accepted.close('it presented no client certificate');
    return accepted;
  };
  return { accept, inspect };
};

/** @returns a function that finds or creates the budget of a router. Budgets outlive connections. */
const createRouterBudgets = (clock: Clock): ((routerId: string) => Budget) => {
  const byRouter = new Map<string, Budget>();
  return (routerId) => {
    // A full budget is equivalent to a new one, and can be dropped.
    for (const [id, budget] of byRouter) {
      if (!budget.isFull()) break;
      byRouter.delete(id);
    }
    const budget = byRouter.get(routerId) ?? createBudget(clock);
    byRouter.set(routerId, budget);
    return budget;
  };
};
