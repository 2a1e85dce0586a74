import { request } from 'node:https';

/** What a controller answers. */
export interface Answer {
  readonly status: number;
  /** `data` of the answer. The scripts read what any release of either controller answers, so it has no type. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
  readonly text: string;
}

export interface Question {
  readonly method?: string;
  /** Sent as JSON; text as it is, as text/plain. */
  readonly body?: unknown;
  /** The token of an API session. */
  readonly session?: string | undefined;
  /** PEM of a certificate, with its chain, and its key, for TLS. */
  readonly identity?: { readonly cert: string; readonly key: string };
}

/** Asks a controller whose certificate chains to `root`. */
export type Ask = (path: string, question?: Question) => Promise<Answer>;

export const asking =
  (port: number, root: string): Ask =>
  (path, { method, body, session, identity } = {}) =>
    new Promise((done, fail) => {
      const isText = typeof body === 'string';
      const content = body === undefined ? undefined : isText ? body : JSON.stringify(body);
      const headers = {
        ...(content !== undefined && {
          'content-type': isText ? 'text/plain' : 'application/json',
          'content-length': Buffer.byteLength(content),
        }),
        ...(session && { 'zt-session': session }),
      };
      const options = {
        host: '127.0.0.1',
        port,
        path: `/edge/${path}`,
        method: method ?? (content === undefined ? 'GET' : 'POST'),
        headers,
      };
      const asked = request({ ...options, ca: root, ...identity, agent: false }, async (response) => {
        let text = '';
        try {
          for await (const part of response.setEncoding('utf8')) text += part;
        } catch (error) {
          fail(error);
        }
        done({ status: response.statusCode ?? 0, data: dataOf(text), text });
      });
      asked.setTimeout(30_000, () => asked.destroy(new Error(`no answer to ${path}`)));
      asked.on('error', fail).end(content);
    });

const dataOf = (text: string): unknown => {
  try {
    return JSON.parse(text).data;
  } catch {
    return undefined;
  }
};

/** @throws Error if the answer is not a success */
export const expected = async (answer: Promise<Answer>): Promise<Answer> => {
  const { status, text } = await answer;
  if (status >= 400) throw new Error(`answered with ${status}: ${text}`);
  return answer;
};

/** Logs in with a password. @returns the token of the API session, undefined if it is refused */
export const login = async (ask: Ask, username: string, password: string): Promise<string | undefined> =>
  (await ask('client/v1/authenticate?method=password', { body: { username, password } })).data?.token;
