/** The pages of a login. They need no JavaScript: each is a form, and the response to it is the next page or a redirect to the client. */

import type { ProviderPages } from '../../../call/provider.ts';
import type { HttpOutput } from '../../../contract/api/surfaces/http-output.ts';
import { base64, type Html, type HtmlPage, html, htmlPage } from './html.ts';

/** The login that a page belongs to. */
export interface PageLogin {
  /** The issuer, e.g. `https://overlay.example.com/oidc`: the steps are below its path. */
  readonly issuer: string;
  /** The id of the auth request. */
  readonly id: string;
  /** The client's redirect URI; undefined for an unknown login. */
  readonly redirectUri: string | undefined;
  /** True if the previous input was refused. */
  readonly isRefused?: boolean;
  /** The username as typed. */
  readonly username?: string | undefined;
}

const loginPage = (pages: ProviderPages, { id, redirectUri, isRefused }: PageLogin, page: Pick<HtmlPage, 'title' | 'content' | 'status'>) =>
  htmlPage(pages, { status: isRefused ? 401 : 200, ...page, headers: { 'auth-request-id': headerSafe(id) }, redirectsTo: redirectUri });

/** Makes an id safe for a header: clients may send any text as an id, but only visible ASCII is kept. */
const headerSafe = (id: string): string => id.replaceAll(/[^!-~]/g, '').slice(0, 64);

const refusal = (text: string, isRefused: boolean | undefined): Html | undefined =>
  isRefused ? html`<p class="refused" role="alert" id="refused">${text}</p>` : undefined;

/** Links a field to its hint and its error for screen readers. */
const described = (isRefused: boolean | undefined, hint?: string): Html => {
  const ids = [...(isRefused ? ['refused'] : []), ...(hint ? [hint] : [])];
  return html`${isRefused ? html` aria-invalid="true"` : undefined}${ids.length > 0 ? html` aria-describedby="${ids.join(' ')}"` : undefined}`;
};

const AUTOFOCUS = html` autofocus`;

const stepOf = ({ issuer }: PageLogin, name: string): string => `${new URL(issuer).pathname}/login/${name}`;

const form = (action: string, login: PageLogin, content: Html | undefined, submit: Html): Html =>
  html`<form method="POST" action="${stepOf(login, action)}">
<input type="hidden" name="id" value="${login.id}">
${content}
${submit}
</form>`;

const button = (text: string): Html => html`<button type="submit">${text}</button>`;

/** The focused button of a form without fields. */
const focusedButton = (text: string): Html => html`<button type="submit" autofocus>${text}</button>`;

const link = (method: string, login: PageLogin, text: string): Html =>
  html`<p class="more"><a href="${stepOf(login, method)}?authRequestID=${encodeURIComponent(login.id)}">${text}</a></p>`;

/** The page for username and password. After a refusal, it keeps the username, but the password must be typed again. */
export const passwordPage = (pages: ProviderPages, { username = '', ...login }: PageLogin): HttpOutput => {
  const { texts } = pages;
  const isNamed = username !== '';
  const attributes = described(login.isRefused);
  const fields = html`<label for="username">${texts.username}</label>
<input id="username" name="username" value="${username}" autocomplete="username" autocapitalize="none" spellcheck="false" required${attributes}${isNamed ? undefined : AUTOFOCUS}>
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${attributes}${isNamed ? AUTOFOCUS : undefined}>`;
  return loginPage(pages, login, {
    title: texts.signIn,
    content: html`${refusal(texts.refused, login.isRefused)}
${form('username', login, fields, button(texts.submit))}
${link('cert', login, texts.withCertificate)}`,
  });
};

export const certificatePage = (pages: ProviderPages, login: PageLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.signIn,
    content: html`${refusal(texts.refused, login.isRefused)}
${form('cert', login, html`<p>${texts.certificateHint}</p>`, focusedButton(texts.submit))}
${link('username', login, texts.withPassword)}`,
  });
};

export const tokenPage = (pages: ProviderPages, login: PageLogin): HttpOutput => {
  const { texts } = pages;
  const content = html`${refusal(texts.refused, login.isRefused)}
<p>${texts.tokenHint}</p>`;
  return loginPage(pages, login, { title: texts.signIn, content });
};

const codeField = ({ texts }: ProviderPages, hint: string, isRefused: boolean | undefined, focus?: Html): Html =>
  html`<label for="code">${texts.code}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required${focus}${described(isRefused, 'hint')}>
<p class="hint" id="hint">${hint}</p>`;

export const codePage = (pages: ProviderPages, login: PageLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.codeTitle,
    status: login.isRefused ? 400 : 200,
    content: html`${refusal(texts.codeRefused, login.isRefused)}
${form('totp', login, codeField(pages, texts.codeHint, login.isRefused, AUTOFOCUS), button(texts.submit))}`,
  });
};

/** The page for an identity that must first set up its second factor. */
export const enrollPage = (pages: ProviderPages, login: PageLogin): HttpOutput => {
  const { texts } = pages;
  const content = form('totp/enroll', login, html`<p>${texts.enrollHint}</p>`, focusedButton(texts.enrollStart));
  return loginPage(pages, login, { title: texts.enrollTitle, content });
};

/** The data for an authenticator app, shown only once. */
export interface Enrolled {
  /** The QR code of the address, as PNG. */
  readonly picture: Uint8Array;
  /** The `otpauth:` URL. */
  readonly address: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** The page that shows the QR code and the recovery codes. No field has the focus, because browsers would then scroll past the picture. */
export const scanPage = (pages: ProviderPages, login: PageLogin, { picture, address, secret, recoveryCodes }: Enrolled): HttpOutput => {
  const { texts } = pages;
  const groups = (secret.match(/.{1,4}/g) ?? []).map((four) => html`<span>${four}</span>`);
  const fields = codeField(pages, texts.enrollCodeHint, false);
  return loginPage(pages, login, {
    title: texts.enrollTitle,
    content: html`<ol>
<li>${texts.enrollScan}
<img alt="${texts.enrollPicture}" src="data:image/png;base64,${base64(picture)}" width="192" height="192">
<p><a href="${address}">${texts.enrollOpen}</a></p>
${texts.enrollSecret} <code class="key">${groups}</code></li>
<li>${texts.enrollRecovery}
<ul class="codes">${recoveryCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul></li>
<li>${form('totp/enroll/verify', login, fields, button(texts.submit))}</li>
</ol>`,
  });
};

/**
 * The page after a wrong confirmation code. It does not show the QR code again, because the app has read it; a button starts over with a
 * new one.
 */
export const confirmPage = (pages: ProviderPages, login: PageLogin): HttpOutput => {
  const { texts } = pages;
  return loginPage(pages, login, {
    title: texts.enrollTitle,
    status: 400,
    content: html`${refusal(texts.codeRefused, true)}
${form('totp/enroll/verify', login, codeField(pages, texts.enrollCodeHint, true, AUTOFOCUS), button(texts.submit))}
${form('totp/enroll', login, undefined, html`<button type="submit" class="other">${texts.enrollAgain}</button>`)}`,
  });
};

export const messagePage = (pages: ProviderPages, title: string, text: string, status = 200): HttpOutput =>
  htmlPage(pages, { title, status, content: html`<p>${text}</p>` });
