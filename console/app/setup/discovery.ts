/** The discovery document of an OpenID provider. The browser may not fetch it from another origin, so people paste it. */
import { FieldInvalid } from '../entered.ts';
import { isObject } from '../json-schema.ts';
import { texts } from '../texts.ts';

const t = texts.setup.provider;

/** The address of the document of an issuer; undefined if the issuer is not a web address. */
export const discoveryAddress = (issuer: string): string | undefined => {
  const url = URL.parse(issuer.trim());
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash
    ? `${url.href.replace(/\/$/, '')}/.well-known/openid-configuration`
    : undefined;
};

/** The fields of a signer that the document says. @throws FieldInvalid for a text that is none, or that is of another issuer */
export const readDiscovery = (text: string, issuer: string): Readonly<Record<string, string>> => {
  const document = parsed(text);
  const textIn = (name: string): string => (typeof document[name] === 'string' ? document[name] : '');
  if (textIn('issuer') === '' || textIn('jwks_uri') === '') throw new FieldInvalid('discovery', t.noDiscovery);
  if (textIn('issuer') !== issuer) throw new FieldInvalid('discovery', t.otherIssuer(textIn('issuer')));
  return { jwksEndpoint: textIn('jwks_uri'), externalAuthUrl: textIn('authorization_endpoint') };
};

const parsed = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const document: unknown = JSON.parse(text);
    if (isObject(document)) return document;
  } catch {
    // Told below.
  }
  throw new FieldInvalid('discovery', t.noDiscovery);
};
