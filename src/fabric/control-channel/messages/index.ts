import { channelMessages } from './channel.ts';
import { circuitMessages } from './circuits.ts';
import { dataModelMessages } from './data-model.ts';
import { enrollmentMessages } from './enrollment.ts';
import { linkMessages } from './links.ts';
import type { MessageType, RouterMessage } from './message-type.ts';
import { routerMessages } from './routers.ts';
import { sessionMessages } from './sessions.ts';
import { terminatorMessages } from './terminators.ts';

const areas = {
  channel: channelMessages,
  routers: routerMessages,
  links: linkMessages,
  sessions: sessionMessages,
  dataModel: dataModelMessages,
  terminators: terminatorMessages,
  circuits: circuitMessages,
  enrollment: enrollmentMessages,
} as const;

/** All message types, by area and in one list. */
export const messages = {
  ...areas,
  all: Object.values(areas).flatMap((area): readonly (MessageType<unknown, never> | RouterMessage<unknown, never>)[] =>
    Object.values(area),
  ),
} as const;
