/** A browser without scripts: it follows redirects, sends the forms of pages, and keeps cookies, on the one site of the controller. */
import assert from 'node:assert/strict';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import type { App } from './app.ts';

export const ORIGIN = 'https://127.0.0.1:1280';

/** What a browser shows: a page, or the address of another site that it was led to. */
export interface Shown {
  readonly url: URL;
  readonly status: number;
  readonly page: string;
}

export interface Browser {
  /** The cookies that it sends, as one header. */
  readonly cookies: string;
  /** Opens an address, as by a link from another site. */
  open(url: URL | string): Promise<Shown>;
  /** Fills the n-th form of a page in, and sends it. */
  submit(shown: Shown, fields?: Readonly<Record<string, string>>, form?: number): Promise<Shown>;
}

/** @param hasCookies false for one that refuses them */
export const openBrowser = (app: App, { hasCookies = true } = {}): Browser => {
  const handle = fetchHandler(app.controller);
  const jar = new Map<string, string>();
  const sent = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

  const keep = (answer: Response): void => {
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split('=');
      // The rules of the prefix, without which a browser drops the cookie (RFC 6265bis, 4.1.3.2).
      assert.ok(name.startsWith('__Host-') && attributes.includes('Secure') && attributes.includes('Path=/'), cookie);
      assert.ok(attributes.includes('HttpOnly') && attributes.some((one) => /^SameSite=(Lax|Strict)$/.test(one)), cookie);
      if (hasCookies) jar.set(name, value);
    }
  };

  const follow = async (url: URL, init: RequestInit): Promise<Shown> => {
    if (url.origin !== ORIGIN) return { url, status: 0, page: '' };
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...(jar.size > 0 ? { cookie: sent() } : {}) };
    const answer = await handle(new Request(url, { ...init, headers: { ...headers, ...init.headers }, redirect: 'manual' }));
    keep(answer);
    const to = answer.headers.get('location');
    if (to !== null) return follow(new URL(to, url), {});
    return { url, status: answer.status, page: await answer.text() };
  };

  return {
    get cookies() {
      return sent();
    },
    open: (url) => follow(new URL(url, ORIGIN), { headers: { 'sec-fetch-site': 'cross-site' } }),
    submit: ({ url, page }, fields = {}, form = 0) => {
      const text = [...page.matchAll(/<form method="POST" action="[^"]+">.*?<\/form>/gs)][form]?.[0] ?? assert.fail(page);
      const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
      const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
      return follow(new URL(action, url), { method: 'POST', body, headers: { origin: ORIGIN, 'sec-fetch-site': 'same-origin' } });
    },
  };
};
