/** The console below pages and paths of others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { describe, test } from 'node:test';
import { selfSigned } from '../adapters/http/certificates.ts';
import { freePort } from '../examples/child.ts';
import { inBrowser, openConsole } from '../support/console-in-browser.ts';

describe('the console below pages of others', inBrowser, () => {
  /** A page that frames an address. */
  const framing = async (port: number, address: string) => {
    const page = `<!doctype html><title>portal</title><iframe src="${address}" width="1000" height="700"></iframe>`;
    const server = createServer(selfSigned('portal'), (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };

  test('a page of another origin cannot frame the console', async () => {
    const port = await freePort();
    const network = await openConsole();
    const server = await framing(port, `${network.address}/console/`);
    const { page } = await network.open();
    const refusal = page.waitForEvent('console');
    await page.goto(`https://127.0.0.1:${port}/`);
    assert.match((await refusal).text(), /frame-ancestors 'none'/);
    assert.ok(page.frames().every((frame) => !frame.url().startsWith(network.address)));
    await network.close();
    server.close();
  });

  test('a page of an origin that the host allows frames the console, and people log in there', async () => {
    const port = await freePort();
    const frameAncestors = [`https://127.0.0.1:${port}`];
    const network = await openConsole({ options: { frameAncestors }, oidc: { pages: { frameAncestors } } });
    const server = await framing(port, `${network.address}/console/`);
    const { page } = await network.open();
    await page.goto(`https://127.0.0.1:${port}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Username').fill('admin');
    await frame.getByLabel('Password').fill('a-good-password');
    await frame.getByLabel('Password').press('Enter');
    await frame.getByRole('heading', { name: 'Overview' }).waitFor();
    await network.close();
    server.close();
  });

  test('a path that looks like another host leads to no other host', async () => {
    const network = await openConsole({
      // It takes off whatever stands before the paths of the controller.
      gateway: ({ handle }) => ({
        handle: (request) => {
          const target = request.target.replace(/^[^?]*(?=\/(console|oidc|edge)\/)/, '');
          const { method, host } = request;
          return handle({ method, target, host, header: (name) => request.header(name), body: (limit) => request.body(limit) });
        },
      }),
    });
    const { page } = await network.open();
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.goto(`${network.address}//evil.example/console/`);
    await page.waitForURL(/\/oidc\//);
    assert.deepEqual([...hosts], [new URL(network.address).host]);
    await network.close();
  });
});
