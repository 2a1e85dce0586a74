import { type Serving, serve } from '../adapters/http/node.ts';
import { createMetrics, type LoadSource } from '../adapters/observability/metrics.ts';
import { type Logger, SAFE_HEADERS } from '../src/adapter-kit.ts';
import { accessLog, awaitingMigrations, type CoreAnswer, type ManagementController, type Observe, probes } from '../src/index.ts';
import { createHostCheck } from './addresses.ts';
import { codeOf, StartFailure, sentenceOf } from './failure.ts';
import { createLogger } from './messages.ts';
import { createDispatcher, isReading, methodNotAllowed, type Route, refusal, routeAt } from './routes.ts';
import type { ServerOptions } from './server-options.ts';
import type { WarmUp } from './warm-up.ts';

/** Observers of the server's controller. */
export interface Observability {
  readonly observe: readonly Observe[];
  readonly platform: { readonly logger?: Logger };
  /**
   * Opens the port for metrics, if one is configured.
   * @throws StartFailure if it cannot be opened
   */
  listen(opened: Promise<ManagementController>, api?: Partial<LoadSource>): Promise<Pick<Serving, 'address' | 'close'> | undefined>;
}

export const createObservability = ({
  metrics: endpoint,
  metricsHosts = [],
  metricsRouters,
  log,
}: Pick<ServerOptions, 'metrics' | 'metricsHosts' | 'metricsRouters' | 'log'>): Observability => {
  const logger = createLogger(log);
  const metrics = endpoint && createMetrics({ process: true, ...(metricsRouters !== undefined && { routers: metricsRouters }) });
  return {
    observe: [...(metrics ? [metrics.observe] : []), ...(logger ? [accessLog(logger)] : [])],
    platform: logger ? { logger } : {},
    listen: async (opened, { load } = {}) => {
      if (!endpoint || !metrics) return undefined;
      const text = async (): Promise<CoreAnswer> => ({
        status: 200,
        headers: { 'content-type': metrics.contentType, ...SAFE_HEADERS },
        body: await metrics.text(await opened, load && { load }),
      });
      const exposition = routeAt(['/metrics'], { handle: async (request) => (isReading(request) ? text() : methodNotAllowed()) });
      // Since there is no login, the host name is checked: web pages must not read metrics through DNS rebinding.
      const isAllowedHost = createHostCheck(endpoint.host, metricsHosts);
      const rejectUnknownHost: Route = ({ host }) => (isAllowedHost(host) ? undefined : Promise.resolve(refusal(421, UNKNOWN_HOST)));
      const controller = createDispatcher([rejectUnknownHost, exposition], { handle: async () => refusal(404, 'metrics are at /metrics') });
      return serve({ controller, ...endpoint }).catch((error: unknown) => {
        const reason = codeOf(error) === 'EADDRINUSE' ? 'it is in use' : sentenceOf(error);
        throw new StartFailure(`--metrics: cannot listen on port ${endpoint.port} of ${endpoint.host}: ${reason}`);
      });
    },
  };
};

const UNKNOWN_HOST = 'metrics are not served under this host name: add it to --metrics-hosts';

/**
 * Serves `/health` and `/ready`, even while the controller is still being opened.
 * @param pending the migrations that others must run before the controller can be opened
 */
export const probeRoute = (opened: Promise<ManagementController>, pending: () => readonly string[], warmUp?: WarmUp): Route => {
  const health = async () => {
    if (pending().length > 0) return awaitingMigrations(pending());
    const current = await (await opened).health();
    const reason = warmUp?.reason();
    return reason ? { ...current, isHealthy: false, reasons: [...current.reasons, reason] } : current;
  };
  return routeAt(['/health', '/ready'], probes({ health }));
};
