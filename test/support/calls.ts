import type { entries } from '../../src/controller/entries.ts';
import type { Answer, App } from './app.ts';
import type { Sample } from './samples/index.ts';

export type Operation = (typeof entries)[number]['operation'];

/** A sample, or the same by somebody else; `null` for nobody. `raw`: JSON that is sent as it is, instead of the body. */
export type SampleCall = Omit<Sample, 'as'> & {
  readonly as?: string | null;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const PREFIXES: Readonly<Record<string, string>> = {
  management: '/edge/management/v1',
  client: '/edge/client/v1',
  extensions: '/edge/management/extensions/v1',
  fabric: '/fabric/v1',
  oidc: '/oidc',
  oidcLogin: '/oidc/login',
};

/** Calls an operation over HTTP as a sample says; on the first surface that it is of, unless told otherwise. */
export const callSample = (
  app: App,
  { method, path, surfaces, body: declared }: Operation,
  { id, other, query, body, raw, as, certificates, externalToken, headers = {} }: SampleCall,
  api = surfaces[0]?.name ?? 'management',
): Promise<Answer> =>
  app.request(
    method,
    `${PREFIXES[api]}${path.replace(/\{\w+\}/, id ?? '').replace(/\{\w+\}/, other ?? '')}${query === undefined ? '' : `?${query}`}`,
    {
      ...(raw === undefined ? bodyOf(body) : { raw }),
      ...(as === undefined ? {} : { as }),
      ...(certificates === undefined ? {} : { certificates }),
      headers: {
        ...(raw === undefined && typeof body === 'string' ? { 'content-type': declared?.media?.[0] ?? '' } : {}),
        ...(externalToken === undefined ? {} : { authorization: `Bearer ${externalToken}` }),
        ...headers,
      },
    },
  );

/** A text is of the first media type that the operation takes. */
const bodyOf = (body: unknown) => (typeof body === 'string' ? { raw: body } : { body });
