import { X509Certificate } from 'node:crypto';
import { type Handling, type Serving, serve, type TrustedProxies } from '../adapters/http/node.ts';
import type { RouterHandler } from '../adapters/routers/node.ts';
import type { Logger } from '../src/index.ts';
import { codeOf, StartFailure, sentenceOf } from './failure.ts';
import type { Tls } from './tls.ts';

/** How often the certificate files are reread. */
const REREAD_MS = 10_000;

export interface ListenOptions {
  readonly controller: Handling;
  readonly host: string;
  readonly port: number;
  readonly certificate: Tls | undefined;
  /** Accepts connections from routers, over TLS. If undefined, routers cannot connect. */
  readonly routers: RouterHandler | undefined;
  readonly trustedProxies: readonly TrustedProxies[];
  readonly messages: Logger;
}

/** Opens the port of the controller. */
export type Listen = (options: ListenOptions) => Promise<Pick<Serving, 'port' | 'close'>>;

/**
 * Opens the port, and rereads the certificate every ten seconds and on SIGHUP.
 * @throws StartFailure if the port cannot be opened
 */
export const listen = async (options: ListenOptions): Promise<Serving> => {
  const { controller, host, port, certificate, routers, trustedProxies, messages } = options;
  const secured = certificate ? { tls: certificate.pair, ...(routers ? { routers } : {}) } : {};
  const serving = await serve({ controller, host, port, trustedProxies, ...secured }).catch((error: unknown) => {
    throw portTrouble(host, port, error);
  });
  if (certificate) {
    const reread = createReread(serving, certificate, messages);
    setInterval(reread, REREAD_MS).unref();
    process.on('SIGHUP', () => reread(true));
  }
  return serving;
};

/** @returns a function that rereads the certificate; calls run one after another. A failure that repeats is logged once, unless the reread was requested. */
const createReread = (serving: Serving, certificate: Tls, messages: Logger): ((isRequested?: boolean) => void) => {
  let failure: string | undefined;
  const reread = async (isRequested: boolean): Promise<void> => {
    try {
      const renewed = await certificate.reread(new Date());
      if (renewed) {
        serving.renewTls(renewed.pair);
        messages.info(`new connections use the renewed certificate, valid until ${new X509Certificate(renewed.pair.cert).validTo}`);
        if (renewed.warning) messages.warn(renewed.warning);
      } else if (isRequested) messages.info('the certificate was read again and has not changed');
      failure = undefined;
    } catch (error) {
      const sentence = sentenceOf(error);
      if (isRequested || sentence !== failure) messages.warn(`the certificate in use is kept: ${sentence}`);
      failure = sentence;
    }
  };
  let last = Promise.resolve();
  return (isAsked = false) => {
    last = last.then(() => reread(isAsked));
  };
};

/** The error for a port that cannot be opened, with the remedy. */
export const portTrouble = (host: string, port: number, error: unknown): StartFailure =>
  new StartFailure(TROUBLES[codeOf(error) ?? '']?.(host, port) ?? `cannot listen on port ${port} of ${host}: ${sentenceOf(error)}`);

const TROUBLES: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) => `port ${port} of ${host} is in use: stop the process that listens there, or choose another port with --port`,
  EACCES: (_host, port) => `this user may not open port ${port}: choose one above 1023 with --port`,
  EADDRNOTAVAIL: (host) => `${host} is not an address of this machine: choose another with --host`,
  ENOTFOUND: (host) => `the name ${host} does not resolve to an address: choose another with --host`,
};
