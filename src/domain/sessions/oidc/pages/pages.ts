/** The pages of a login. They need no JavaScript: each is a form, whose answer is the next page or leads back to the client. */
import type { HttpOutput } from '../../../../api/surfaces/http-output.ts';
import type { ProviderPages } from '../../../../call/provider.ts';
import { base64, type Html, type HtmlPage, html, htmlPage } from './html.ts';

/** The login that a page belongs to. */
export interface PageOfLogin {
  /** Of the auth request. */
  readonly id: string;
  /** Where the client wants its code; undefined for an unknown login. */
  readonly redirectUri: string | undefined;
  /** Whether what was given before was refused. */
  readonly isRefused?: boolean;
}

const loginPage = (
  pages: ProviderPages,
  { id, redirectUri, isRefused }: PageOfLogin,
  page: Pick<HtmlPage, 'title' | 'content' | 'status'>,
) => htmlPage(pages, { status: isRefused ? 401 : 200, ...page, headers: { 'auth-request-id': headerSafe(id) }, leadsTo: redirectUri });

/** The id as it was given may be anything; a header holds visible ASCII. */
const headerSafe = (id: string): string => id.replaceAll(/[^!-~]/g, '').slice(0, 64);

const refusal = (text: string, isRefused: boolean | undefined): Html | undefined =>
  isRefused ? html`<p class="refused" role="alert" id="refused">${text}</p>` : undefined;

const form = (action: string, id: string, content: Html, submit: string): Html =>
  html`<form method="POST" action="/oidc/login/${action}">
<input type="hidden" name="id" value="${id}">
${content}
<button type="submit">${submit}</button>
</form>`;

const link = (method: string, id: string, text: string): Html =>
  html`<p class="more"><a href="/oidc/login/${method}?authRequestID=${encodeURIComponent(id)}">${text}</a></p>`;

export const passwordPage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  const fields = html`<label for="username">${texts.username}</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`;
  return loginPage(pages, login, {
    title: texts.signIn,
    content: html`${refusal(texts.refused, login.isRefused)}
${form('username', login.id, fields, texts.submit)}
${link('cert', login.id, texts.withCertificate)}`,
  });
};

export const certificatePage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.signIn,
    content: html`${refusal(texts.refused, login.isRefused)}
${form('cert', login.id, html`<p>${texts.certificateHint}</p>`, texts.submit)}
${link('username', login.id, texts.withPassword)}`,
  });
};

export const tokenPage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  const content = html`${refusal(texts.refused, login.isRefused)}
<p>${texts.tokenHint}</p>`;
  return loginPage(pages, login, { title: texts.signIn, content });
};

const codeField = ({ texts }: ProviderPages, hint: string): Html =>
  html`<label for="code">${texts.code}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus aria-describedby="hint">
<p id="hint">${hint}</p>`;

export const codePage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.codeTitle,
    status: login.isRefused ? 400 : 200,
    content: html`${refusal(texts.codeRefused, login.isRefused)}
${form('totp', login.id, codeField(pages, texts.codeHint), texts.submit)}`,
  });
};

/** For an identity that has to set its second factor up first. */
export const enrollPage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  const content = form('totp/enroll', login.id, html`<p>${texts.enrollHint}</p>`, texts.enrollStart);
  return loginPage(pages, login, { title: texts.enrollTitle, content });
};

/** What an authenticator app needs, once and never again. */
export interface Enrolled {
  /** PNG. */
  readonly picture: Uint8Array;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

export const scanPage = (pages: ProviderPages, login: PageOfLogin, { picture, secret, recoveryCodes }: Enrolled): HttpOutput => {
  const { texts } = pages;
  const fields = codeField(pages, texts.codeHint);
  return loginPage(pages, login, {
    title: texts.enrollTitle,
    content: html`<p>${texts.enrollScan}</p>
<img alt="${texts.enrollScan}" src="data:image/png;base64,${base64(picture)}">
<p>${texts.enrollSecret} <code>${secret}</code></p>
<p>${texts.enrollRecovery}</p>
<ul>${recoveryCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
${form('totp/enroll/verify', login.id, fields, texts.submit)}`,
  });
};

/** The code that should have confirmed it was wrong: the picture is not shown again, the app has it. */
export const confirmPage = (pages: ProviderPages, login: PageOfLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.enrollTitle,
    status: 400,
    content: html`${refusal(texts.codeRefused, true)}
${form('totp/enroll/verify', login.id, codeField(pages, texts.codeHint), texts.submit)}`,
  });
};

export const messagePage = (pages: ProviderPages, title: string, text: string, status = 200): HttpOutput =>
  htmlPage(pages, { title, status, content: html`<p>${text}</p>` });
