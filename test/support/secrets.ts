import type { Exchange } from './app.ts';

/** How fields, parameters and headers are named whose values are secrets. */
const NAMES = /(^|[a-z_-])(token|password|secret|jwt|code|codes|verifier|assertion|provisioningurl|zt-session|authorization|cookie)$/i;
/** A name that ends alike: which token of an issuer is taken. */
const NO_SECRETS = /^targetToken$/;
/** In answers, of errors. */
const ERROR_CODE = /^(code|causeCode|statusCode)$/;
/** What is a secret wherever it is: tokens of three parts, private keys, and what authenticator apps are set up with. */
const LOOKS = /eyJ[\w-]+\.[\w-]+\.[\w-]+|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+|otpauth:\/\/[^"\s]+|(?<=[?&]secret=)\w+/g;

/** Texts that are secrets, each with the name of the field, parameter or header that held it. */
export type Secrets = readonly (readonly [secret: string, name: string])[];

/** The secrets that a client sent or was given in an exchange. */
export const secretsOf = ({ path, options: { as, body, raw, headers = {} }, answer }: Exchange): Secrets => [
  ...(as ? [[as, 'zt-session'] as const] : []),
  ...(typeof raw === 'string' ? inQuery(raw) : inValue(body, true)),
  ...inQuery(path.split('?')[1] ?? ''),
  ...inHeaders(headers),
  ...inHeaders(answer.headers),
  ...(answer.body === undefined ? [] : inValue(answer.body, false)),
  ...(answer.text.match(LOOKS) ?? []).map((secret) => [secret, 'its look'] as const),
];

const inHeaders = (headers: Readonly<Record<string, string>>): Secrets =>
  Object.entries(headers).flatMap(([name, value]) => {
    if (/^(set-)?cookie$/.test(name)) return [[/=([^;]+)/.exec(value)?.[1] ?? '', name] as const];
    if (name === 'location') return inQuery(value.split('?')[1] ?? '');
    return named(name, value.replace(/^Bearer /, ''));
  });

const inQuery = (query: string): Secrets => [...new URLSearchParams(query)].flatMap(([name, value]) => named(name, value));

const named = (name: string, value: string): Secrets => (NAMES.test(name) && !NO_SECRETS.test(name) ? [[value, name]] : []);

const inValue = (value: unknown, isSent: boolean, name = ''): Secrets => {
  if (typeof value === 'string') return isSent || !ERROR_CODE.test(name) ? named(name, value) : [];
  if (Array.isArray(value)) return value.flatMap((each) => inValue(each, isSent, name));
  const { id, ...rest } = Object(value);
  // To others than its owner, a session shows its id in place of its token.
  return Object.entries(rest).flatMap(([key, each]) => (each === id ? [] : inValue(each, isSent, key)));
};
