import { type Handling, type Serving, serve } from '../adapters/http/node.ts';
import type { RouterHandler } from '../adapters/routers/node.ts';
import { codeOf, StartFailure, sentenceOf } from './failure.ts';
import type { Tls } from './tls.ts';

const DAY_MS = 86_400_000;

export interface ListenOptions {
  readonly controller: Handling;
  readonly host: string;
  readonly port: number;
  readonly certificate: Tls | undefined;
  /** Takes the connections of routers, with TLS. Undefined: none. */
  readonly routers: RouterHandler | undefined;
}

/** Opens the port on which the controller is reached. */
export type Listen = (options: ListenOptions) => Promise<Pick<Serving, 'port' | 'close'>>;

/**
 * Opens the port, and renews the certificate while it is open.
 * @throws StartFailure when the port cannot be had
 */
export const listen = async ({ controller, host, port, certificate, routers }: ListenOptions): Promise<Serving> => {
  const secured = certificate ? { tls: certificate.pair, ...(routers ? { routers } : {}) } : {};
  const serving = await serve({ controller, host, port, ...secured }).catch((error: unknown) => {
    throw portTrouble(host, port, error);
  });
  if (certificate) setInterval(() => renew(serving, certificate), DAY_MS).unref();
  return serving;
};

const renew = (serving: Serving, certificate: Tls): void => {
  certificate.renewed(new Date()).then(
    (pair) => pair && serving.renewTls(pair),
    // It is tried again tomorrow, for a month.
    (error: unknown) => console.error(`warning: the certificate could not be renewed: ${sentenceOf(error)}`),
  );
};

/** Why a port cannot be had, and what to do about it. */
export const portTrouble = (host: string, port: number, error: unknown): StartFailure =>
  new StartFailure(TROUBLES[codeOf(error) ?? '']?.(host, port) ?? `cannot listen on port ${port} of ${host}: ${sentenceOf(error)}`);

const TROUBLES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `port ${port} of ${host} is in use: end what listens there, or choose another with --port`,
  EACCES: (_host, port) => `this user may not open port ${port}: choose one above 1023 with --port`,
  EADDRNOTAVAIL: (host) => `${host} is no address of this machine: choose another with --host`,
  ENOTFOUND: (host) => `the name ${host} has no address: choose another with --host`,
};
