/** A validated request, in the form that a transport sends. */
export interface OutboundMessage {
  readonly method: string;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** The rules forbid the request or its response. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';
}

// Some firewalls refuse requests without a `user-agent`.
const DEFAULT_HEADERS = { accept: 'application/json', 'user-agent': 'overlay-controller' } as const;
const MAX_BODY_BYTES = 1_048_576;
const MAX_HEADER_BYTES = 8192;

/** A token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The bytes of a header field value: ASCII without line breaks (RFC 9110, 5.5). */
const VALUE = /^[\t\x20-\x7e]*$/;
/** `CONNECT` opens a tunnel to a destination that no address rule checks; `TRACE` and `TRACK` echo the request, including its secrets. */
const FORBIDDEN_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK'];
/** Headers for message framing and connection management, which only the transport may set. */
const FORBIDDEN_HEADERS: readonly string[] = [
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Validates a request.
 * @throws OutboundRefused for a method, headers or a body that the rules forbid
 */
export const createOutboundMessage = ({
  method = 'GET',
  headers = {},
  body,
}: {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}): OutboundMessage => {
  if (!TOKEN.test(method) || FORBIDDEN_METHODS.includes(method.toUpperCase()))
    throw new OutboundRefused(`the method ${JSON.stringify(method)} is not allowed`);
  if (body && (method === 'GET' || method === 'HEAD')) throw new OutboundRefused(`a ${method} request must not have a body`);
  if (body && body.byteLength > MAX_BODY_BYTES)
    throw new OutboundRefused(`the body has ${body.byteLength} bytes, at most ${MAX_BODY_BYTES} are allowed`);
  return { method, headers: { ...DEFAULT_HEADERS, ...checkedHeaders(headers) }, body };
};

const checkedHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  let size = 0;
  const entries = Object.entries(headers).map(([originalName, value]) => {
    const name = originalName.toLowerCase();
    if (!TOKEN.test(name) || FORBIDDEN_HEADERS.includes(name) || name.startsWith('proxy-'))
      throw new OutboundRefused(`the header ${JSON.stringify(originalName)} is not allowed`);
    // The message omits the value, which may be a secret.
    if (!VALUE.test(value)) throw new OutboundRefused(`the value of the header ${name} must be visible ASCII`);
    size += name.length + value.length;
    return [name, value] as const;
  });
  if (size > MAX_HEADER_BYTES) throw new OutboundRefused(`the headers have ${size} bytes, at most ${MAX_HEADER_BYTES} are allowed`);
  return Object.fromEntries(entries);
};
