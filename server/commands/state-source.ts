import { createClient } from '../../client/index.ts';
import { shownAddress } from '../../src/contract/wire/shown-address.ts';
import type { AppliedState, StateDocument, StatePlan } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { StartFailure } from '../failure.ts';
import type { Environment } from '../sources.ts';
import { networkOptions } from './command.ts';
import { findNetwork, withController } from './network.ts';

/** The options that select the network of a command on declared state. */
export const source = {
  url: {
    value: 'URL',
    about:
      'address of a running controller, such as https://overlay.example.com:1280; the variable API_TOKEN must contain an API token. Default: open the database in --storage',
  },
  ...networkOptions,
} as const;

/** The help text about these options. */
export const ABOUT_SOURCE =
  'With --url, set NODE_EXTRA_CA_CERTS to the file of the root certificate if the authority of the network issued the certificate of the server. Without --url, the command opens the database, for which it needs the secret key; servers may keep running.';

/** The operations on declared state, performed by a running controller or by one that is opened for the command. */
export interface StateOperations {
  export(input: ExportInput): Promise<StateDocument>;
  plan(input: { readonly body: { readonly document: StateDocument; readonly prune?: boolean } }): Promise<StatePlan>;
  apply(
    input: { readonly body: Pick<StatePlan, 'revision' | 'operations'> | { readonly document: StateDocument; readonly prune?: boolean } },
    options?: ApplyOptions,
  ): Promise<AppliedState>;
  exportLines(input: ExportInput): Promise<{ readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array> }>;
  planLines(input: LinesInput): Promise<StatePlan>;
  applyLines(input: LinesInput, options?: ApplyOptions): Promise<AppliedState>;
}

interface ApplyOptions {
  readonly maxLost?: number;
  readonly reason?: string;
}

interface ExportInput {
  readonly select?: StateSections;
  readonly owner?: string;
}

/** A document in lines. */
interface LinesInput {
  readonly body: string;
  readonly owner?: string;
  readonly prune?: boolean;
}

/** Names of sections. */
export type StateSections = readonly Exclude<keyof StateDocument, 'owner'>[];

/** @throws StartFailure if there is no network, or no token for it */
export const withState = async <T>(
  given: OptionValues<keyof typeof source>,
  environment: Environment,
  work: (state: StateOperations) => Promise<T>,
): Promise<T> => {
  const url = given.get('url');
  if (url === undefined) return withController(await findNetwork(given, environment), ({ api }) => work(api.state));
  const { API_TOKEN } = environment;
  if (!API_TOKEN) throw new StartFailure('--url needs an API token in the variable API_TOKEN: see docs/guides/machine-accounts.md');
  // Checked here, because the error for an invalid header would contain the token.
  if (!/^[\x21-\x7e]+$/.test(API_TOKEN))
    throw new StartFailure('the variable API_TOKEN must contain only an API token: it has a space, a line break or an invalid character');
  return work(clientOf(url, API_TOKEN).state);
};

const clientOf = (baseUrl: string, session: string) => {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new StartFailure(
      '--url must begin with https: otherwise others could read the API token in transit. Only addresses of this machine may begin with http',
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
