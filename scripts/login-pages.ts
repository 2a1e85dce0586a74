/**
 * Logs users in through the pages of the OpenID provider, in Chromium without JavaScript and with the keyboard alone, and takes the
 * screenshots for the guide. The browser is Debian's package `chromium`, or the command in `CHROMIUM`.
 *
 *     node scripts/login-pages.ts docs/pictures
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serve } from '../adapters/http/node.ts';
import { nodePlatform } from '../adapters/platform/node.ts';
import { memoryStorage } from '../adapters/storage/memory/index.ts';
import { ManagementController } from '../src/index.ts';
import { freePort } from '../test/examples/child.ts';
import { totp } from '../test/support/mfa.ts';
import { startChromium } from './browser/chromium.ts';
import { openPage, type Page, type Screen } from './browser/page.ts';

/** The screenshots that the guide shows. */
const PICTURES: readonly string[] = ['sign-in-desktop', 'scan-desktop', 'refused-phone', 'scan-phone', 'code-phone'];
/** Maximum size of a screenshot in bytes. */
const MAX_BYTES = 60_000;
const PASSWORD = 'a-good-password';
const SCREENS: Readonly<Record<string, Screen>> = {
  desktop: { width: 800, height: 600, isPhone: false },
  phone: { width: 375, height: 667, isPhone: true },
};

const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const folder = process.argv[2] ?? 'docs/pictures';
await mkdir(folder, { recursive: true });

/** The application that users log in to. */
const application = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<meta name="viewport" content="width=device-width">You are back.'),
).listen(0, '127.0.0.1');
await once(application, 'listening');
const redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/auth/callback`; // the address of a listening TCP server has a port

const controller = await ManagementController.open({
  storage: memoryStorage(),
  platform: nodePlatform(),
  settings: { address },
  oidc: { pages: { name: 'Example Ltd.' } },
});
const server = await serve({ controller, port });
const policy = { name: 'two factors', primary: (await controller.api.authPolicies.get({ id: 'default' })).primary };
const { id: authPolicyId } = await controller.api.authPolicies.create({
  body: { ...policy, secondary: { requireTotp: true, requireExtJwtSigner: null } },
});

const createUser = async (username: string): Promise<string> => {
  const { id } = await controller.api.identities.create({ body: { name: username, type: 'User', isAdmin: false, authPolicyId } });
  await controller.api.authenticators.create({ body: { identityId: id, method: 'updb', username, password: PASSWORD } });
  return username;
};

const newLogin = () => {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'openziti',
    response_type: 'code',
    scope: 'openid',
    redirect_uri: redirectUri,
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { verifier, address: `${address}/oidc/authorize?${query}` };
};

/** Asserts that the browser has reached the application, with a code that yields tokens of the user. */
const assertLoggedIn = async (page: Page, verifier: string, username: string): Promise<void> => {
  const url = new URL(await page.address());
  assert.equal(`${url.origin}${url.pathname} ${url.searchParams.get('state')}`, `${redirectUri} the-state`);
  const code = url.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', client_id: 'openziti', redirect_uri: redirectUri, code, code_verifier: verifier };
  const { access_token } = await controller.api.oidc.token({ body: grant });
  assert.equal((await controller.as(access_token).currentIdentity.get()).name, username);
};

const walk = async (name: string, page: Page): Promise<void> => {
  const picture = async (subject: string) => {
    if (!PICTURES.includes(`${subject}-${name}`)) return;
    const file = join(folder, `login-${subject}-${name}.png`);
    const bytes = await page.picture(file);
    console.log(`${file}: ${bytes} bytes`);
    assert.ok(bytes < MAX_BYTES);
  };
  const shows = async (...controls: readonly string[]) => assert.deepEqual(await page.controls(), controls);
  const username = await createUser(`anna-${name}`);
  const signIn = async (password: string) => {
    await page.write(username);
    await page.tab();
    await page.write(password);
    await page.enter();
  };

  const first = newLogin();
  await page.goTo(first.address);
  await shows('heading Sign in', 'textbox Username', 'textbox Password', 'button Continue', 'link Use a certificate instead');
  await picture('sign-in');
  await signIn('not-the-password');
  assert.match((await page.controls()).join(), /alert/);
  await picture('refused');
  // The username is still filled in.
  await page.write(PASSWORD);
  await page.enter();
  await shows('heading Set up your authenticator app', 'button Set up now');
  await picture('enroll');
  await page.enter();
  await picture('scan');
  const [, secret = ''] = /secret=([A-Z2-7]+)/.exec(await page.source()) ?? [];
  const code = () => totp(secret, Date.now());
  await page.tab(); // past the link
  await page.tab();
  await page.write('000000');
  await page.enter();
  await picture('confirm');
  await page.write(code());
  await page.enter();
  await assertLoggedIn(page, first.verifier, username);

  const second = newLogin();
  await page.goTo(second.address);
  await signIn(PASSWORD);
  await shows('heading Enter your code', 'textbox Code', 'button Continue');
  await picture('code');
  await page.write('000000');
  await page.enter();
  assert.match((await page.controls()).join(), /alert/);
  await page.write(code());
  await page.enter();
  await assertLoggedIn(page, second.verifier, username);
  assert.deepEqual(page.complaints, []);
};

try {
  await using browser = await startChromium();
  for (const [name, screen] of Object.entries(SCREENS)) {
    const page = await openPage(browser, screen);
    await walk(name, page);
  }
} finally {
  await server.close();
  await controller.close();
  application.close();
  application.closeAllConnections();
}
