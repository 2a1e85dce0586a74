/** Protects the steps of a login against cross-site request forgery. */
import type { Call } from '../../../call/call.ts';
import type { ProviderClient } from '../../../call/provider.ts';
import { unauthorized } from '../../../errors/index.ts';
import { canonicalHost, isLocalMachine } from '../../../pki/server-names.ts';
import { isOwnOrigin } from './provider.ts';
import { isOriginOf } from './redirect-uris.ts';

/** The pages that may send a step: only those of the controller, or also those of the client and of programs on the same machine. */
export type Senders = 'own' | 'clients';

/**
 * Rejects a step that was sent by a page of another site. Browsers send `Origin` with every POST and DELETE (Fetch Standard, 3.2); SDKs and command-line tools
 * send neither `Origin` nor `Sec-Fetch-Site`. Browsers present a client certificate on behalf of any page, so only the controller's own pages may send the
 * certificate step.
 * @param client the client of the login; undefined for an unknown login
 * @throws ApiError `UNAUTHORIZED` for a page of another site
 */
export const requireSender = async (call: Call, client: ProviderClient | undefined, senders: Senders): Promise<void> => {
  const { origin, fetchSite } = call.browser ?? {};
  if (origin === undefined && fetchSite !== 'cross-site') return;
  if (origin !== undefined && (await isSender(call, origin, client, senders))) return;
  throw unauthorized(`a page of ${origin === undefined ? 'another site' : `the origin ${origin.slice(0, 256)}`} may not send this step`);
};

const isSender = async (call: Call, origin: string, client: ProviderClient | undefined, senders: Senders): Promise<boolean> => {
  const url = URL.parse(origin);
  if (!url) return false;
  if (await isOwnOrigin(call, url)) return true;
  if (senders === 'own') return false;
  return isThisMachine(url) || isOriginOf(client?.redirectUris ?? [], url);
};

const isThisMachine = ({ protocol, hostname }: URL): boolean => /^https?:$/.test(protocol) && isLocalMachine(canonicalHost(hostname) ?? '');
