import { ApiError } from '../errors/index.ts';

/** Explanations of network errors for developers who use the client, by error code (of Node or OpenSSL). */
const MEANINGS: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/ALTNAME_INVALID/, "the server's certificate is for other names than the one in baseUrl"],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, "the server's certificate is out of date, or the clock here is wrong"],
  [
    /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_(UNTRUSTED|REJECTED|CHAIN)|INVALID_CA/,
    "the server's certificate is not trusted: give Node the root certificate of the network in NODE_EXTRA_CA_CERTS, or give createClient a `fetch` that trusts it",
  ],
  [/^EPROTO$|ERR_SSL/, 'the server does not speak TLS there: should baseUrl begin with http: ?'],
  [/ECONNREFUSED/, 'nothing listens there'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name in baseUrl has no address'],
];

interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * The error for a request that got no answer. Its `cause` gives the reason, if it is known, and has the error that `fetch` threw as its own `cause`.
 * @param request e.g. `GET https://127.0.0.1:1280/edge/management/v1/version`
 */
export const unanswered = (request: string, error: unknown): ApiError => {
  const { code, message } = reasonOf(error);
  const meaning = MEANINGS.find(([known]) => known.test(code))?.[1];
  const text = [`${request} got no answer`, meaning, code ? `${message} (${code})` : message].filter(Boolean).join(': ');
  return new ApiError('SERVER_UNAVAILABLE', { cause: Object.assign(new Error(text, { cause: error }), { code: code || 'UNHANDLED' }) });
};

/** The innermost error, which has the reason: in most runtimes, the error that `fetch` throws says only that it failed. */
const reasonOf = (error: unknown, depth = 0): Reason => {
  if (!(error instanceof Error)) return { code: '', message: String(error) };
  // If several addresses of a host were tried, the first error stands for all of them.
  const inner = error.cause ?? (error instanceof AggregateError ? error.errors[0] : undefined);
  if (inner instanceof Error && depth < 5) return reasonOf(inner, depth + 1);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { code, message: error.message || error.name };
};
