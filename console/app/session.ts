/** The session of this tab: who is logged in, the client of the API, and what the session may do. */
import { ApiError, type Client, createClient, type Identity } from '../../src/client/index.ts';
import type { Descriptions } from '../descriptions.ts';
import { keepDraftsOf } from './drafts.ts';
import { accessToken, forget, renew } from './login.ts';
import { observable } from './observable.ts';
import { type Rights, rightsOf } from './rights.ts';
import { controllerAddress } from './settings.ts';

/** True while the session has ended, and what is on the page waits for the next login. */
export const sessionEnded = observable(false);

/** A 401 with a challenge refuses the session; one without it, the right. */
const fetchInSession = async (url: string, init: RequestInit): Promise<Response> => {
  const response = await fetch(url, init);
  if (response.status !== 401 || !response.headers.has('www-authenticate')) return response;
  if (await renew()) {
    const again = await fetch(url, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${await accessToken()}` },
    }); // the client passes an object
    if (again.status !== 401 || !again.headers.has('www-authenticate')) return again;
  }
  forget();
  sessionEnded.set(true);
  return response;
};

/** The only way to the API. */
export const client: Client = createClient({
  baseUrl: controllerAddress,
  credentials: { bearer: accessToken },
  fetch: fetchInSession,
});

/** The open session. */
export interface Session extends Rights {
  readonly identity: Identity;
  readonly descriptions: Descriptions;
}

/** The session of this tab; undefined until it is open. */
export const session = observable<Session | undefined>(undefined);

export const openSession = async (): Promise<Session> => {
  const [identity, descriptions] = await Promise.all([client.currentIdentity.get(), readDescriptions()]);
  keepDraftsOf(identity.id);
  const opened = { identity, descriptions, ...rightsOf(identity, descriptions) };
  session.set(opened);
  return opened;
};

const readDescriptions = async (): Promise<Descriptions> => {
  const response = await fetch('descriptions.json');
  if (!response.ok) throw new ApiError('SERVER_UNAVAILABLE');
  return (await response.json()) as Descriptions; // `descriptionsOf` wrote it
};
