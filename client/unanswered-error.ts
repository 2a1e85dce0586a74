import { ApiError } from '../src/contract/errors/index.ts';

/** Explanations of network errors, by error code of Node or OpenSSL. */
const EXPLANATIONS: readonly (readonly [code: RegExp, explanation: string])[] = [
  [/ALTNAME_INVALID/, "the server's certificate is not valid for the host name in baseUrl"],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    "the server's certificate has expired or is not valid yet, or the clock of this machine is wrong",
  ],
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_(UNTRUSTED|REJECTED|CHAIN)|INVALID_CA/,
    "the server's certificate is not trusted: give Node the root certificate of the network in NODE_EXTRA_CA_CERTS, or give createClient a `fetch` that trusts it",
  ],
  [/^EPROTO$|ERR_SSL/, 'the server does not use TLS at this address: should baseUrl begin with http:?'],
  [/ECONNREFUSED/, 'no server is listening at this address'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name in baseUrl has no address'],
];

interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * Creates the error for a request that was not answered. Its `cause` explains the reason, if known; the `cause` of that is the error that
 * `fetch` threw.
 * @param request e.g. `GET https://127.0.0.1:1280/edge/management/v1/version`
 */
export const unansweredError = (request: string, error: unknown): ApiError => {
  const { code, message } = reasonOf(error);
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];
  const text = [`${request} got no answer`, explanation, code ? `${message} (${code})` : message].filter(Boolean).join(': ');
  return new ApiError('SERVER_UNAVAILABLE', { cause: Object.assign(new Error(text, { cause: error }), { code: code || 'UNHANDLED' }) });
};

/** Maximum depth of nested causes to follow. */
const MAX_DEPTH = 5;

/** The innermost error, which contains the reason: in most runtimes, the error that `fetch` throws only reports that it failed. */
const reasonOf = (error: unknown, depth = 0): Reason => {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // If several addresses of a host were tried, the first error represents all of them.
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  if (inner instanceof Error && depth < MAX_DEPTH) return reasonOf(inner, depth + 1);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message || error.name };
};
