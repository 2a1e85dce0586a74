import { createSemaphore } from '../../../concurrency/semaphore.ts';
import type { Budget } from '../../../control-channel/budget.ts';
import { circuitMessages } from '../../../control-channel/messages/circuits.ts';
import { linkMessages } from '../../../control-channel/messages/links.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { onRouterChange } from '../routers/changes.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import type { Fabric } from '../routers/fabric.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import { createLinks, isOlder, type Links, type RouterLink } from './link-table.ts';
import { introducePeers, type Peers } from './peers.ts';
import { reportedConnections, reportedLink } from './reported.ts';
import { verify } from './verify.ts';

const { routerLinks, linkState, verifyRouter } = linkMessages;
const { fault } = circuitMessages;

type Fault = Pick<MessageBody<typeof fault>, 'id' | 'iteration'>;

/** The links between routers. */
export interface Linking extends Peers {
  readonly links: Links;
  handlers(router: ConnectedRouter): readonly HandlerRow[];
  /** One end says that there is the same link twice: it is used no more, and the other end hears of it. @returns whether that is so */
  duplicate(router: ConnectedRouter, said: Fault): boolean;
  /** One end says that a link is gone. @returns whether there is no such link any more */
  broken(router: ConnectedRouter, said: Fault): boolean;
  /** Has both ends close a link. @returns whether it was known */
  remove(id: string): boolean;
  /** Who is to hear of links that their router does not name any more. */
  onForgotten(heard: (linkId: string) => void): void;
}

/** The first report of a connection names all links of the router, as does one that says so; others name those that are new. */
const reporting = (links: Links, { id: from }: ConnectedRouter, forgotten: (linkId: string) => void) => {
  const turns = createSemaphore(1);
  let isFirst = true;
  function* report(said: MessageBody<typeof routerLinks>): Generator<number, void> {
    const reported: RouterLink[] = [];
    for (const one of said.links) {
      const link = reportedLink(from, one);
      if (link) reported.push(link);
      yield ELEMENTS_OF_LINK;
    }
    const gone = isFirst || said.fullRefresh ? links.forget(from, new Set(reported.map(({ id }) => id))) : [];
    isFirst = false;
    for (const link of reported) {
      links.report(link);
      yield 1;
    }
    for (const id of gone) forgotten(id);
  }
  return (said: MessageBody<typeof routerLinks>, budget: Budget): Promise<void> => turns.run(() => budget.run(report(said)));
};

/** About as many as it has. */
const ELEMENTS_OF_LINK = 8;

export const keepLinks = (fabric: Fabric): Linking => {
  const { connected, events } = fabric;
  const links = createLinks();
  const listeners: ((linkId: string) => void)[] = [];
  onRouterChange(events, ({ action, entityId }) => {
    if (action === 'delete') for (const { id, from, to } of links.all()) if (from === entityId || to === entityId) links.remove(id);
  });

  /** What a router says of links of others, or of an iteration that is over, does not count. */
  const ofRouter = ({ id: routerId }: ConnectedRouter, { id, iteration }: Fault) => {
    const link = links.get(id);
    const isEnd = link?.from === routerId || link?.to === routerId;
    return link && isEnd && !isOlder(iteration, link.iteration) ? link : undefined;
  };

  return {
    links,
    ...introducePeers(fabric),
    onForgotten: (heard) => void listeners.push(heard),
    handlers: (router) => {
      const report = reporting(links, router, (linkId) => {
        for (const heard of listeners) heard(linkId);
      });
      return [
        handling(routerLinks, (said, _frame, budget) => report(said, budget)),
        handling(linkState, (said) => links.connect(reportedConnections(router.id, said))),
        handling(verifyRouter, (said, frame) => verify(fabric, router, said, frame)),
      ];
    },
    duplicate: (router, said) => {
      const link = ofRouter(router, said);
      if (!link) return false;
      links.remove(link.id);
      const other = connected.get(link.from === router.id ? link.to : link.from);
      other?.channel.send(fault, { subject: 'link', id: link.id, iteration: said.iteration });
      return true;
    },
    broken: (router, said) => {
      const link = ofRouter(router, said);
      if (link) links.remove(link.id);
      return links.get(said.id) === undefined;
    },
    remove: (id) => {
      const link = links.remove(id);
      if (!link) return false;
      for (const end of [link.from, link.to]) connected.get(end)?.channel.send(fault, { subject: 'link', id, iteration: link.iteration });
      return true;
    },
  };
};
