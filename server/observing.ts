import { type Serving, serve } from '../adapters/http/node.ts';
import { createMetrics } from '../adapters/observability/metrics.ts';
import { type Logger, SAFE_HEADERS } from '../src/adapter-kit.ts';
import { accessLog, awaitingMigrations, type CoreAnswer, type ManagementController, type Observe, probes } from '../src/index.ts';
import { answersFor } from './addresses.ts';
import { codeOf, StartFailure, sentenceOf } from './failure.ts';
import { loggerOf } from './messages.ts';
import { isReading, onlyRead, paths, type Route, refusal, routed } from './routes.ts';
import type { ServerOptions } from './server-options.ts';

/** Observers of the server's controller. */
export interface Observing {
  readonly observe: readonly Observe[];
  readonly platform: { readonly logger?: Logger };
  /** Opens the port for metrics, if one is configured. @throws StartFailure if it cannot be opened */
  listen(opened: Promise<ManagementController>): Promise<Pick<Serving, 'address' | 'close'> | undefined>;
}

export const observingOf = ({
  metrics: endpoint,
  metricsHosts = [],
  log,
}: Pick<ServerOptions, 'metrics' | 'metricsHosts' | 'log'>): Observing => {
  const logger = loggerOf(log);
  const metrics = endpoint && createMetrics();
  return {
    observe: [...(metrics ? [metrics.observe] : []), ...(logger ? [accessLog(logger)] : [])],
    platform: logger ? { logger } : {},
    listen: async (opened) => {
      if (!endpoint || !metrics) return undefined;
      const text = async (): Promise<CoreAnswer> => ({
        status: 200,
        headers: { 'content-type': metrics.contentType, ...SAFE_HEADERS },
        body: await metrics.text(await opened),
      });
      const exposition = paths(['/metrics'], { handle: async (request) => (isReading(request) ? text() : onlyRead()) });
      // Since there is no login, the host name is checked: web pages must not read metrics through DNS rebinding.
      const isKnown = answersFor(endpoint.host, metricsHosts);
      const rejectUnknownHost: Route = ({ host }) => (isKnown(host) ? undefined : Promise.resolve(refusal(421, OTHER_HOST)));
      const controller = routed([rejectUnknownHost, exposition], { handle: async () => refusal(404, 'metrics are at /metrics') });
      return serve({ controller, ...endpoint }).catch((error: unknown) => {
        const reason = codeOf(error) === 'EADDRINUSE' ? 'it is in use' : sentenceOf(error);
        throw new StartFailure(`--metrics: cannot listen on port ${endpoint.port} of ${endpoint.host}: ${reason}`);
      });
    },
  };
};

const OTHER_HOST = 'metrics are not served under this host name: add it to --metrics-hosts';

/**
 * Serves `/health` and `/ready`, even while the controller is still being opened.
 * @param pending the migrations that others must run before the controller can be opened
 */
export const probeRoute = (opened: Promise<ManagementController>, pending: () => readonly string[]): Route => {
  const health = async () => (pending().length > 0 ? awaitingMigrations(pending()) : (await opened).health());
  return paths(['/health', '/ready'], probes({ health }));
};
