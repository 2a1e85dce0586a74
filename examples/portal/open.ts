import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { ManagementController } from '../../adapters/node/index.ts';
import { createMetrics } from '../../adapters/observability/metrics.ts';
import { openTelemetry } from '../../adapters/observability/opentelemetry.ts';
import { postgresStorage } from '../../adapters/storage/kysely/index.ts';
import { portalApp } from './app.ts';
import { portalRule } from './rule.ts';
import { createTokenVerifier, openUserTable } from './users.ts';
import { startWebhook } from './webhook.ts';

export interface PortalOptions {
  /** Connections to the portal's database, which the controller shares. */
  readonly pool: Pool;
  readonly secretKey: string;
  /** URL of the OpenID issuer of the single sign-on. */
  readonly issuer: string;
  /** URL to which changes of devices are posted. */
  readonly webhook: string;
  /** The address at which devices reach the client API. */
  readonly address: string;
}

/** Opens the portal and its controller. */
export const openPortal = async ({ pool, secretKey, issuer, webhook, address }: PortalOptions) => {
  const users = await openUserTable(pool);
  const verifyToken = await createTokenVerifier(issuer, 'portal');
  const metrics = createMetrics();
  const controller = await ManagementController.open({
    storage: postgresStorage({ pool }),
    secretKey,
    settings: { address },
    authorize: portalRule(users.find),
    observe: [metrics.observe, openTelemetry()],
  });
  const hook = startWebhook(controller, webhook);
  const signedOn = async (token: string) => {
    const user = await verifyToken(token);
    await users.save(user);
    return user;
  };
  const app: FastifyInstance = portalApp({ controller, metrics, signedOn });
  const close = async () => {
    await app.close();
    await hook.close();
    await controller.close();
  };
  return { app, controller, close };
};
