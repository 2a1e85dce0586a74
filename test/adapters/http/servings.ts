import { type ServeLimits, type Serving, serve } from '../../../adapters/http/node.ts';
import { type Behaviours, handlerOf } from '../../unit/http/fake-api.ts';
import { selfSigned } from './certificates.ts';

/** Bytes of a body that the servers here take. */
export const LIMIT = 100_000;

const tls = selfSigned('server');
const started: Serving[] = [];

/** An HTTPS server over the small API of the tests. */
export const start = async (behaviours: Behaviours = {}, limits: ServeLimits = {}, requestTimeoutMs = 10_000): Promise<Serving> => {
  const serving = await serve({ controller: { handle: handlerOf(behaviours, { maxBodyBytes: LIMIT, requestTimeoutMs }) }, tls, limits });
  started.push(serving);
  return serving;
};

export const closeAll = () => Promise.all(started.map((one) => one.close(50)));

/** Request line and headers, with a good session. */
export const head = (method: string, path: string, ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', 'zt-session: good', ...headers].join('\r\n')}\r\n\r\n`;

export const POST = ['Content-Type: application/json'];
