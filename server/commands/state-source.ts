import { createClient } from '../../src/client/index.ts';
import type { AppliedState, StateDocument, StatePlan } from '../../src/index.ts';
import { shownAddress } from '../../src/wire/shown-address.ts';
import type { Given } from '../arguments.ts';
import { StartFailure } from '../failure.ts';
import { secretKeyFile } from '../secret-key.ts';
import type { Environment } from '../sources.ts';
import { storage } from './command.ts';
import { networkIn, withController } from './controller.ts';

/** The options that select the network of a command on declared state. */
export const source = {
  url: {
    value: 'URL',
    about:
      'address of a running controller, such as https://overlay.example.com:1280; the variable API_TOKEN has an API token. Default: the store of --storage',
  },
  storage,
  'secret-key-file': secretKeyFile,
} as const;

/** What the help says about these options. */
export const ABOUT_SOURCE =
  'With --url, certificates of the authority in the file that NODE_EXTRA_CA_CERTS names are trusted. Without it, a store is opened: servers may be running on it, and the secret key is needed.';

/** The operations on declared state, of a running controller or of one that is opened for the command. */
export interface StateOperations {
  export(input: { readonly select?: StateSections; readonly owner?: string }): Promise<StateDocument>;
  plan(input: { readonly body: { readonly document: StateDocument; readonly prune?: boolean } }): Promise<StatePlan>;
  apply(
    input: { readonly body: Pick<StatePlan, 'revision' | 'operations'> | { readonly document: StateDocument; readonly prune?: boolean } },
    options?: { readonly maxLost?: number; readonly reason?: string },
  ): Promise<AppliedState>;
}

/** Names of sections. */
export type StateSections = readonly Exclude<keyof StateDocument, 'owner'>[];

/** @throws StartFailure if there is no network, or no token for it */
export const withState = async <T>(
  given: Given<keyof typeof source>,
  environment: Environment,
  work: (state: StateOperations) => Promise<T>,
): Promise<T> => {
  const url = given.get('url');
  if (url === undefined) return withController(await networkIn(given, environment), ({ api }) => work(api.state));
  const { API_TOKEN } = environment;
  if (!API_TOKEN) throw new StartFailure('--url needs an API token in the variable API_TOKEN: see docs/guides/machine-accounts.md');
  // The errors of headers would show it.
  if (!/^[\x21-\x7e]+$/.test(API_TOKEN))
    throw new StartFailure(
      'the variable API_TOKEN must hold an API token and nothing else: it has a space, a line break or a character that no token has',
    );
  return work(clientOf(url, API_TOKEN).state);
};

const clientOf = (baseUrl: string, session: string) => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new StartFailure(
      '--url must begin with https: the API token would be readable on the way. Only addresses of this machine may begin with http',
    );
  try {
    return createClient({ baseUrl, credentials: { session } });
  } catch {
    throw new StartFailure(
      `--url must be the address of a controller, such as https://overlay.example.com:1280, without a name or password, got '${shownAddress(baseUrl)}'`,
    );
  }
};

/** Host names of this machine, as URLs have them. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
