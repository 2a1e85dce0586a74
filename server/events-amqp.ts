import type { AmqpEvents, AmqpEventsOptions } from '../adapters/events/amqp.ts';
import type { ManagementController } from '../src/index.ts';
import { codeOf, StartFailure } from './failure.ts';

/** The broker, and its queue or exchange. */
export type EventsAmqpOptions = Pick<AmqpEventsOptions, 'url' | 'queue' | 'exchange'>;

/** The error message omits the invalid value, which may contain a password. */
export const parseEventsAmqp = (text: string): EventsAmqpOptions => {
  const url = URL.parse(text);
  const [queue, exchange] = [url?.searchParams.get('queue'), url?.searchParams.get('exchange')];
  if (!url || !/^amqps?:$/.test(url.protocol) || url.hostname === '' || Boolean(queue) === Boolean(exchange))
    throw new StartFailure('--events-amqp must be an address such as amqps://USER:PASSWORD@HOST/VHOST?queue=NAME, or ?exchange=NAME');
  for (const name of ['queue', 'exchange']) url.searchParams.delete(name);
  return { url: url.href, ...(queue && { queue }), ...(exchange && { exchange }) };
};

/** The address without the password, to display it. */
export const amqpWithoutPassword = (text: string): string => {
  const url = URL.parse(text);
  if (!url) return '***';
  url.password = '';
  return url.href;
};

/**
 * Loads the client of the broker, which is not installed with the package.
 * @returns a function that begins to publish the events of a controller
 * @throws StartFailure if the client is missing
 */
export const loadEventsAmqp = async (
  options: EventsAmqpOptions,
): Promise<(controller: Pick<ManagementController, 'networkEvents' | 'logger'>) => AmqpEvents> => {
  try {
    const { amqpEvents } = await import('../adapters/events/amqp.ts');
    return (controller) => amqpEvents(controller, options);
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StartFailure('--events-amqp requires the package amqplib: npm install amqplib@2');
  }
};
