import type { Frame } from '../../../control-channel/frame.ts';
import { circuitMessages } from '../../../control-channel/messages/circuits.ts';
import type { Linking } from '../links/linking.ts';
import type { ConnectedRouter } from '../routers/connected.ts';
import type { HandlerRow } from '../routers/handlers.ts';
import type { Circuit, Circuits } from './circuit.ts';
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

  /** A router does not know where to hand something on. */
  const forwardFault = (id: string): void => {
    if (circuits.isBeingMade(id) || rerouting.isMoving(id)) return;
    const circuit = ofRouter(id);
    if (!circuit) takeDown([router], id, true);
    else if (circuit.links.length === 0) drop(id, true);
    else rerouting.move([circuit], 'end');
  };

  const faulty = (frame: Frame): void => {
    const said = fault.decode(frame.body);
    const { subject, id } = said;
    const overLink = () => circuits.over(id).filter(({ path }) => path.includes(router.id));
    if (subject === 'ingress' || subject === 'egress') {
      if (ofRouter(id)) drop(id, false);
    } else if (subject === 'forward' || subject === 'unknownOwnerForward') {
      for (const one of id.split(' ').filter(Boolean)) forwardFault(one);
    } else if (subject === 'linkDuplicate') {
      // Its routers close it when they are done: until then, circuits may stay.
      if (linking.duplicate(router, said)) rerouting.move(overLink(), 'stay');
    } else if (subject === 'link') {
      // One that was a duplicate is not known any more.
      if (linking.broken(router, said)) rerouting.move(overLink(), 'end');
    }
  };

  return [
    [fault, faulty],
    [
      circuitConfirmation,
      (frame) => {
        for (const id of circuitConfirmation.decode(frame.body).circuitIds)
          if (!ofRouter(id) && !circuits.isBeingMade(id) && !rerouting.isMoving(id)) takeDown([router], id, true);
      },
    ],
  ];
};
