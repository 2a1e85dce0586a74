/** The session of this tab: its identity, its rights, and the client of the API. */
import { ApiError, type Client, createClient, type Identity } from '../../client/index.ts';
import type { Descriptions } from '../descriptions.ts';
import { claimDrafts } from './drafts.ts';
import { accessToken, renewTokens } from './login.ts';
import { observable } from './observable.ts';
import { type Rights, rightsOf } from './rights.ts';
import { controllerAddress } from './settings.ts';
import { withdrawSignIn } from './shared-sign-in.ts';
import { announceChange } from './tabs.ts';
import { forgetTokens } from './tokens.ts';

/** True once the session has ended; the page then remains until the next login. */
export const sessionEnded = observable(false);

/** Renews the session after a 401 with a challenge. A 401 without one means that a permission is missing. */
const fetchInSession = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init);
  if (response.ok) announceChange(url, init);
  if (response.status !== 401 || !response.headers.has('www-authenticate')) return response;
  if (await renewTokens()) {
    const retried = await fetch(url, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${await accessToken()}` },
    }); // the client passes an object
    if (retried.status !== 401 || !retried.headers.has('www-authenticate')) return retried;
  }
  forgetTokens();
  withdrawSignIn();
  sessionEnded.set(true);
  return response;
};

/** The client that all pages use. */
export const client: Client = createClient({
  baseUrl: controllerAddress,
  credentials: { bearer: accessToken },
  fetch: fetchInSession,
});

/** Makes a request without the typed client, which would hide lost connections by opening a stream again. */
export const requestInSession = async (target: string, init: RequestInit): Promise<Response> =>
  fetchInSession(`${controllerAddress}${target}`, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${await accessToken()}` }, // callers pass an object
  });

/** An open session, with its rights. */
export interface Session extends Rights {
  readonly identity: Identity;
  readonly descriptions: Descriptions;
}

/** The session of this tab; undefined until it is open. */
export const session = observable<Session | undefined>(undefined);

export const openSession = async (): Promise<Session> => {
  const [identity, descriptions] = await Promise.all([client.currentIdentity.get(), readDescriptions()]);
  claimDrafts(identity.id);
  const opened = { identity, descriptions, ...rightsOf(identity, descriptions) };
  session.set(opened);
  return opened;
};

const readDescriptions = async (): Promise<Descriptions> => {
  const response = await fetch('descriptions.json').catch(() => undefined);
  if (!response?.ok) throw new ApiError('SERVER_UNAVAILABLE');
  return (await response.json()) as Descriptions; // `descriptionsOf` wrote it
};
