import type { Budget } from '../../../control-channel/budget.ts';
import { Malformed } from '../../../control-channel/malformed.ts';
import { circuitMessages } from '../../../control-channel/messages/circuits.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import type { Linking } from '../links/links.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';
import { type HandlerRow, handling } from '../routers/message-handlers.ts';
import type { Circuit, Circuits } from './circuit-table.ts';
import type { Rerouting } from './rerouting.ts';
import { takeDown } from './route.ts';

const { fault, circuitConfirmation } = circuitMessages;

/** What faults may be about. */
export interface FaultPlace {
  readonly circuits: Circuits;
  readonly linking: Linking;
  readonly rerouting: Rerouting;
  /** Ends a circuit on all its routers. @param now without waiting for what is under way */
  drop(circuitId: string, now: boolean): void;
}

/** What a router says of circuits and links that are at their end, or may be. */
export const faultHandlers = ({ circuits, linking, rerouting, drop }: FaultPlace, router: ConnectedRouter): readonly HandlerRow[] => {
  /** What a router says of a circuit that does not go through it does not count: for this router there is none. */
  const ofRouter = (id: string): Circuit | undefined => {
    const circuit = circuits.get(id);
    return circuit?.path.includes(router.id) ? circuit : undefined;
  };
  const isChanging = (id: string): boolean => circuits.isBeingMade(id) || rerouting.isMoving(id);

  /** A router does not know where to hand these on, whose ids stand between blanks. */
  function* forwardFaults(ids: string): Generator<number, void> {
    const broken = new Map<string, Circuit>();
    let count = 0;
    for (const [id] of ids.matchAll(/[^ ]+/g)) {
      if (++count > fault.bounds.elements) throw new Malformed(`a fault is of more than ${fault.bounds.elements} circuits`);
      const circuit = ofRouter(id);
      if (!isChanging(id) && !circuit) takeDown([router], id, true);
      else if (!isChanging(id) && circuit?.links.length === 0) drop(id, true);
      else if (!isChanging(id) && circuit) broken.set(id, circuit);
      yield 1;
    }
    rerouting.move([...broken.values()], 'end');
  }

  function* confirm(ids: readonly string[]): Generator<number, void> {
    for (const id of ids) {
      if (!ofRouter(id) && !isChanging(id)) takeDown([router], id, true);
      yield 1;
    }
  }

  const faulty = (said: MessageBody<typeof fault>, budget: Budget): void | Promise<void> => {
    const { subject, id } = said;
    const overLink = () => circuits.over(id).filter(({ path }) => path.includes(router.id));
    if (subject === 'ingress' || subject === 'egress') {
      if (ofRouter(id)) drop(id, false);
    } else if (subject === 'forward' || subject === 'unknownOwnerForward') {
      return budget.run(forwardFaults(id));
    } else if (subject === 'linkDuplicate') {
      // Its routers close it when they are done: until then, circuits may stay.
      if (linking.duplicate(router, said)) rerouting.move(overLink(), 'stay');
    } else if (subject === 'link') {
      // One that was a duplicate is not known any more.
      if (linking.broken(router, said)) rerouting.move(overLink(), 'end');
    }
  };

  return [
    handling(fault, (said, _frame, budget) => faulty(said, budget)),
    handling(circuitConfirmation, ({ circuitIds }, _frame, budget) => budget.run(confirm(circuitIds))),
  ];
};
