/** The parts of the console that a host adds: logo, links, pages and texts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { type ConsoleOptions, consoleHandler } from '../../console/index.ts';
import { selfSigned } from '../adapters/http/certificates.ts';
import { freePort } from '../examples/child.ts';
import { type ConsoleInBrowser, inBrowser, openConsole } from '../support/console-in-browser.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>parent.owned = 1</script><rect width="8" height="8"/></svg>';
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('options of the console that add parts of the host', () => {
  const refused = (options: object, message: RegExp): void => {
    const controller = { handle: async () => ({ status: 404, headers: {}, body: '' }) };
    assert.throws(() => consoleHandler(controller, options as ConsoleOptions), { name: 'TypeError', message });
  };
  const page = { path: 'tickets', label: 'Tickets', address: 'https://tickets.example.com/' };

  test('a logo that is neither PNG nor SVG, or too large, is refused', () => {
    refused({ logo: '<html><svg></svg></html>' }, /logo.*PNG.*got '<html>/);
    refused({ logo: new Uint8Array([0x47, 0x49, 0x46]) }, /logo.*got 'GIF'/);
    refused({ logo: 'logo.svg' }, /logo.*got 'logo.svg'/);
    refused({ logo: `<svg>${'x'.repeat(300_000)}</svg>` }, /logo at most 262144 bytes/);
  });

  test('links lead to http and https addresses and to relative ones only', () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example/',
      '/\\evil.example',
      'https://a:b@evil.example/',
      'ftp://x/',
      ' x',
      '',
    ])
      refused({ links: [{ label: 'x', address }] }, /takes as address of links/);
    refused({ links: [{ label: ' ', address: '/x' }] }, /label of links/);
    refused({ links: [{ label: 'x', address: '/x', onclick: 'x' }] }, /links of consoleHandler has no option 'onclick'/);
    refused({ links: 'https://x.example' }, /links a list/);
  });

  test('pages have https addresses that cannot extend the policy, and paths of their own', () => {
    for (const address of [
      'http://tickets.example.com/',
      '/tickets/',
      "https://x;script-src 'unsafe-inline'/",
      'https://*.example.com/',
      'javascript:1',
    ])
      refused({ pages: [{ ...page, address }] }, /address of pages an https address/);
    refused({ pages: [{ ...page, path: '../x' }] }, /path of pages.*got '..\/x'/);
    refused({ pages: [page, page] }, /each path of pages once, got 'tickets'/);
  });

  test('texts have known names, and placeholders for parameters that there are', () => {
    refused({ texts: { signout: 'Abmelden' } }, /no text named 'signout'/);
    refused({ texts: { 'hints.__proto__': 'x' } }, /no text named/);
    refused({ texts: { constructor: 'x' } }, /no text named/);
    refused({ texts: { fr: { signOut: 'Quitter' } } }, /no text named 'fr'/);
    refused({ texts: { de: { signout: 'Abmelden' } } }, /no text named 'signout'/);
    refused({ texts: { 'hints.offline': 7 } }, /text hints.offline one of 1 to 2000 characters, got '7'/);
    refused({ texts: { newEntity: 'Neu: {2}' } }, /newEntity has 1 parameters, got '\{2\}'/);
    refused({ language: 'german!' }, /language a tag like en or pt-BR, got 'german!'/);
    refused({ shareSignIn: 'no' }, /shareSignIn true or false, got 'no'/);
  });
});

describe('a console with parts of its host', inBrowser, () => {
  let network: ConsoleInBrowser;
  let address = '';
  let server: ReturnType<typeof createServer>;
  before(async () => {
    const port = await freePort();
    address = `https://127.0.0.1:${port}/tickets`;
    const body = `<!doctype html><title>t</title><p>three tickets</p><script>
      const seen = (read) => { try { return String(read()) } catch ({ name }) { return name } };
      document.querySelector('p').textContent += ', ' + seen(() => parent.sessionStorage.length) + ', ' + seen(() => (top.location = '/away'));
    </script>`;
    server = createServer(selfSigned('tickets'), (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(body));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    network = await openConsole({
      options: {
        logo: SVG,
        links: [{ label: 'Wiki <b>', address: '../wiki/' }],
        pages: [{ path: 'tickets', label: 'Tickets', address }],
        texts: { signOut: 'Afmelden', newEntity: 'Nieuw: {1}', 'fields.encryptionRequired': 'Versleuteld' },
        language: 'nl',
      },
    });
  });
  after(async () => {
    await network?.close();
    server?.close();
  });

  test('a page of the host is in a frame that reaches neither the session nor the address of the console', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    await page.getByRole('link', { name: 'Tickets' }).click();
    await page.getByRole('heading', { name: 'Tickets' }).waitFor();
    await page.frameLocator('iframe').getByText('three tickets, SecurityError, SecurityError').waitFor();
    assert.equal(page.url(), `${network.address}/console/#/pages/tickets`);
    await network.goTo(page, '#/pages/others');
    await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
  });

  test('a link of the host is text, and leaves the console as it is', async () => {
    const { page, complaints } = await network.open();
    await network.logIn(page);
    const link = page.getByRole('link', { name: 'Wiki <b>' });
    assert.deepEqual(
      [await link.getAttribute('href'), await link.getAttribute('rel'), await link.getAttribute('target')],
      ['../wiki/', 'noopener noreferrer', '_blank'],
    );
    assert.deepEqual(complaints, []);
  });

  test('texts of the host are in place of those of the console, in its language', async () => {
    const { page } = await network.open();
    await page.goto(`${network.address}/console/`);
    await network.fillLogin(page);
    await page.getByRole('button', { name: 'Afmelden' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'nl');
    await network.goTo(page, '#/entities/services');
    await page.getByRole('link', { name: 'Nieuw: service' }).click();
    await page.getByText('Versleuteld').first().waitFor();
  });

  test('the logo is a file with a type and a policy of its own, in which no script runs', async () => {
    const { page } = await network.open();
    await network.logIn(page);
    assert.equal(await page.evaluate("document.querySelector('.brand img').naturalWidth > 0"), true);
    const response = await network.request.get(`${network.address}/console/logo`);
    assert.equal(response.headers()['content-type'], 'image/svg+xml');
    assert.match(response.headers()['content-security-policy'] ?? '', /default-src 'none'.*sandbox/);
    await page.goto(`${network.address}/console/logo`);
    assert.equal(await page.evaluate('globalThis.owned'), undefined);
  });

  test('a PNG is served as it is', async (t) => {
    const other = await openConsole({ options: { logo: PNG } });
    t.after(() => other.close());
    const response = await other.request.get(`${other.address}/console/logo`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers()['content-type'], 'image/png');
    assert.deepEqual(await response.body(), PNG);
  });
});
