import type { Core } from '../../../call/core.ts';
import { edgeHeader } from '../../../control-channel/header-fields.ts';
import type { MessageBody } from '../../../control-channel/messages/message-type.ts';
import { routerMessages } from '../../../control-channel/messages/routers.ts';
import { Unanswered } from '../../../control-channel/requests.ts';
import type { ConnectedRouter } from '../routers/connected-routers.ts';

const { serverHello, clientHello } = routerMessages;

/** How often a router is asked that does not answer. */
const ATTEMPTS = 3;

/** Asks an edge router how clients reach it. It is online once it has said so. Transit routers are not asked: no client reaches them. */
export const greet = async ({ settings }: Pick<Core, 'settings'>, { channel, connection }: ConnectedRouter): Promise<void> => {
  const greeting = { version: settings.apiLevel, data: new Map(Object.entries({ instant: 'true', routerModel: 'true' })) };
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await channel.request(serverHello, greeting, { headers: [edgeHeader.dataModel.of(true)] });
      return await connection.hello(reportOf(clientHello.decode(answer.body)));
    } catch (error) {
      if (!(error instanceof Unanswered) || attempt === ATTEMPTS) {
        if (!channel.signal.aborted) await connection.sync(error instanceof Unanswered ? 'SYNC_HELLO_TIMEOUT' : 'SYNC_ERROR');
        throw error;
      }
    }
  }
};

/** What a router says of itself, as presence takes it: checked there. */
const reportOf = ({ listeners, hostname, protocols, protocolPorts }: MessageBody<typeof clientHello>) =>
  listeners.length === 0 && protocols.length > 0
    ? { hostname, protocols: [...protocols], protocolPorts: [...protocolPorts] }
    : { listeners: listeners.flatMap(({ advertise, address }) => advertise ?? address ?? []) };
