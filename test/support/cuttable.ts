import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import type { App } from './app.ts';

/** A typed client of a controller, whose connections can be cut. */
export const cuttable = ({ controller, admin }: App) => {
  const handle = fetchHandler(controller);
  let gone = new AbortController();
  const client = createClient({
    baseUrl: 'https://controller.test',
    credentials: { session: admin },
    wait: async () => {},
    fetch: (url, init) =>
      handle(new Request(url, { ...init, signal: AbortSignal.any([gone.signal, ...(init.signal ? [init.signal] : [])]) })),
  });
  const cut = () => {
    gone.abort();
    gone = new AbortController();
  };
  return { client, cut };
};
