import { acceptChannel } from '../../../control-channel/accept.ts';
import { createRepeatedLog } from '../../../platform/repeated-log.ts';
import type { Presence } from '../../fabric/connections/presence.ts';
import { type ConnectedRouter, createConnectedRouters } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import type { MessageHandlers } from '../routers/message-handlers.ts';
import { watchOthers } from '../routers/others.ts';
import { admit } from './admission.ts';
import { createRouterBudgets } from './budgets.ts';
import { createInspectRouters, type InspectRouters } from './inspect.ts';
import { serveConnected } from './router-service.ts';
import type { AcceptRouter } from './router-socket.ts';
import { welcomeOf } from './welcome.ts';

/** Kinds of messages that are noted as unknown, of one connection. */
const MOST_NOTED = 16;

/** The routers of this controller. */
export interface RouterChannels {
  /** Takes the connections of routers. */
  readonly accept: AcceptRouter;
  readonly inspect: InspectRouters;
}

export const createRouterChannels = ({ core, events, publish }: Omit<Fabric, 'connected'>, presence: Presence): RouterChannels => {
  const connected = createConnectedRouters();
  const fabric = { core, events, connected, publish };
  const inspect = createInspectRouters(connected, core.platform.clock);
  const service = serveConnected(fabric, inspect);
  const watch = watchOthers(fabric);
  const place = { core, presence, connected };
  const { clock, logger } = core.platform;
  const repeated = createRepeatedLog(core.platform);
  const budgets = createRouterBudgets(clock);
  const accept: AcceptRouter = (socket) => {
    const { remoteAddress, certificates } = socket;
    let router: ConnectedRouter | undefined;
    let handlers: MessageHandlers = new Map();
    const unknown = new Set<number>();
    const about = () => (router ? { routerId: router.id, remoteAddress } : { remoteAddress });
    const accepted = acceptChannel({
      clock,
      wire: socket,
      admit: async (hello, channel) => {
        await service.ready();
        router = await admit(place, certificates, hello, channel);
        const budget = budgets(router.id);
        handlers = service.handlers(router, budget);
        return { headers: welcomeOf(core, hello), budget };
      },
      opened: () => {
        if (!router) return;
        logger.info('a router has connected', about());
        service.begin(router);
        watch();
      },
      take: (frame) => {
        const handler = handlers.get(frame.contentType);
        if (handler) return handler(frame);
        if (unknown.has(frame.contentType) || unknown.size === MOST_NOTED) return () => undefined;
        unknown.add(frame.contentType);
        return () => logger.info('a router sent a message that means nothing here', { ...about(), contentType: frame.contentType });
      },
      note: (message, details) => repeated('warn', message, { ...about(), ...details }),
    });
    accepted.signal.addEventListener('abort', () => {
      const reason = String(accepted.signal.reason?.message);
      if (router) logger.info('the connection of a router has ended', { ...about(), reason });
      else repeated('warn', 'a router was refused', { ...about(), reason });
    });
    return accepted;
  };
  return { accept, inspect };
};
