import type { Call } from '../../call/call.ts';
import { isWebAddress } from '../../contract/api/shared.ts';
import { addressRule } from '../../runtime/platform/addresses.ts';

const LIMITS = { maxBytes: 262_144, timeoutMs: 5000 } as const;

type Asking = Pick<Call, 'core' | 'signal'>;

/**
 * Reads the metadata of an OpenID provider (OpenID Connect Discovery 1.0, section 4). Requests are guarded like those for the keys of
 * signers, and the result is the same whatever else is at the address.
 */
export const discoverProvider = async (call: Asking, issuer: string) => {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = isIssuer(issuer) ? await call.core.discoveries.run(() => readMetadata(call, address), call) : undefined;
  const textIn = (name: string): string | undefined => (typeof metadata?.[name] === 'string' ? metadata[name] : undefined);
  const addressIn = (name: string): string | undefined => {
    const text = textIn(name);
    return text !== undefined && isWebAddress(text) ? text : undefined;
  };
  const jwksEndpoint = addressIn('jwks_uri');
  if (textIn('issuer') !== issuer || jwksEndpoint === undefined)
    return { isFound: false, message: `no metadata with exactly this issuer and the address of its keys can be read at ${address}` };
  const externalAuthUrl = addressIn('authorization_endpoint');
  const message = `the metadata was read at ${address}`;
  return { isFound: true, message, jwksEndpoint, ...(externalAuthUrl === undefined ? {} : { externalAuthUrl }) };
};

/**
 * True for an address without a query, fragment or credentials. After a query or a fragment, the path of the metadata would no longer be
 * part of the path, so that callers could have any address requested.
 */
const isIssuer = (issuer: string): boolean => {
  const { username, password } = new URL(issuer); // the schema accepts only addresses
  return !/[?#]/.test(issuer) && username === '' && password === '';
};

/** @returns undefined if there is no JSON object at the address, or it may not be requested */
const readMetadata = async (
  { core: { platform, settings }, signal }: Asking,
  address: string,
): Promise<Readonly<Record<string, unknown>> | undefined> => {
  try {
    const permits = addressRule(settings.outboundAllow);
    const { status, body } = await platform.outbound.request(address, { ...LIMITS, permits, signal });
    const document: unknown = status === 200 ? JSON.parse(new TextDecoder().decode(body)) : undefined;
    return typeof document === 'object' && document !== null ? { ...document } : undefined;
  } catch {
    return undefined;
  }
};
