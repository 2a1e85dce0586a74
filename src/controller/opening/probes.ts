import type { Health } from '../../contract/api/controllers.ts';
import { checkedOptions } from '../../contract/options.ts';
import { SAFE_HEADERS } from '../../contract/wire/safe-headers.ts';
import type { Handle } from '../../http/handler.ts';
import type { CoreAnswer } from '../../http/message.ts';
import { splitTarget } from '../../http/router.ts';
import { isLoopback } from '../../runtime/platform/addresses.ts';

/** Options of `probes`. */
export interface ProbeOptions {
  /**
   * The clients that see the messages of the reasons; all clients see `concerns`. Default `loopback`: clients on this machine, which
   * includes all clients of a proxy on it.
   */
  readonly messages?: 'loopback' | 'all' | 'none';
}

/**
 * A handler for the probes of supervisors and load balancers, without a session: `/health` answers 200 as long as the process responds, and
 * `/ready` answers 200 or 503 with the reasons of `controller.health()`. Mount it like a controller, on a separate path.
 *
 * ```ts
 * http.createServer(nodeHandler(probes(controller))).listen(9000);
 * ```
 */
export const probes = (controller: { health(): Promise<Health> }, options: ProbeOptions = {}): { readonly handle: Handle } => {
  const { messages = 'loopback' } = checkedOptions('probes', options, { messages: true });
  const showsMessages = (remoteAddress = '') => messages === 'all' || (messages === 'loopback' && isLoopback(remoteAddress));
  return {
    handle: async ({ method, target, remoteAddress }) => {
      const { path } = splitTarget(target);
      if (path !== '/health' && path !== '/ready') return answer(404, { status: 'unknown' });
      if (method !== 'GET' && method !== 'HEAD') return answer(405, { status: 'unknown' }, { allow: 'GET, HEAD' });
      if (path === '/health') return answer(200, { status: 'up' });
      const { isHealthy, reasons } = await controller.health();
      const shown = showsMessages(remoteAddress) ? reasons : reasons.map(({ concerns, severity }) => ({ concerns, severity }));
      return answer(isHealthy ? 200 : 503, { status: isHealthy ? 'ready' : 'unready', reasons: shown });
    },
  };
};

const answer = (status: number, body: unknown, more: Readonly<Record<string, string>> = {}): CoreAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...SAFE_HEADERS, ...more },
  body: JSON.stringify(body),
});
