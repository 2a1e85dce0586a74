import type { Call } from '../../call/call.ts';
import type { AuthQuery } from '../../contract/api/api-sessions.ts';
import { type HttpOutput, redirect } from '../../contract/api/surfaces/http-output.ts';
import { HTML_TYPE, JSON_TYPE, TEXT_TYPE } from '../../contract/wire/media-types.ts';
import { isTotp } from './factors.ts';
import { pagesFor } from './pages/language.ts';
import { codePage, enrollPage, messagePage, type PageLogin, tokenPage } from './pages/pages.ts';

/** True if the client prefers HTML pages to JSON and text. */
export const wantsPage = ({ mediaType }: Pick<Call, 'mediaType'>): boolean => mediaType === HTML_TYPE;

export const json = (body: unknown, { status = 200, headers = {} }: Pick<HttpOutput, 'status' | 'headers'> = {}): HttpOutput => ({
  status,
  headers,
  contentType: JSON_TYPE,
  body: JSON.stringify(body),
});

/** An error that is shown to the user instead of being sent to the client by redirect. */
export const plainRefusal = (call: Call, reason: string): HttpOutput => {
  const pages = pagesFor(call);
  if (wantsPage(call)) return messagePage(pages, pages.texts.failed, reason, 400);
  return { status: 400, contentType: `${TEXT_TYPE}; charset=utf-8`, body: `${reason}\n` };
};

const pageOfFactor = (code: AuthQuery | undefined): typeof codePage => {
  if (!code) return tokenPage;
  return code.isTotpEnrolled ? codePage : enrollPage;
};

/** The next step of a login: a factor that is still required, or the callback. */
export const nextStep = (call: Call, issuer: string, login: PageLogin, queries: readonly AuthQuery[], key?: string): HttpOutput => {
  if (queries.length === 0)
    return redirect(`${issuer}/authorize/callback?id=${encodeURIComponent(login.id)}${key === undefined ? '' : `&key=${key}`}`);
  const code = queries.find(isTotp);
  const headers: Readonly<Record<string, string>> = code ? { 'totp-required': 'true' } : {};
  if (!wantsPage(call)) return json({ authQueries: queries }, { headers });
  const pages = pagesFor(call);
  const pageFor = pageOfFactor(code);
  const page = pageFor(pages, login);
  return { ...page, headers: { ...page.headers, ...headers } };
};
