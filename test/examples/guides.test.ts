/** The guides as pages of the server, to which help in the console leads. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { htmlOf, titleIn } from '../../server/guide-html.ts';
import { guidesRoute } from '../../server/guides.ts';

const NAMES = readdirSync(new URL('../../docs/guides/', import.meta.url)).map((file) => file.replace('.md', ''));

const ask = (target: string, method = 'GET') =>
  guidesRoute({ method, target, header: () => undefined, body: async () => new Uint8Array() });

const pageOf = async (name: string): Promise<string> => {
  const answer = await ask(`/guides/${name}.html`);
  assert.equal(answer?.status, 200, name);
  return String(answer?.body);
};

const withoutCode = (html: string): string => html.replaceAll(/<code>[\s\S]*?<\/code>|<style>[\s\S]*?<\/style>/g, '');

describe('the guides of the server', () => {
  test('each guide is a page, without marks of Markdown', async () => {
    for (const name of NAMES) {
      const html = await pageOf(name);
      assert.match(html, /<h1 id="[^"]+">[^<]+/, name);
      assert.doesNotMatch(withoutCode(html), /\]\(|\*\*|```|^\||^#/m, name);
    }
  });

  test('each link between guides leads to a page, and its anchor to a heading of it', async () => {
    for (const name of NAMES)
      for (const [, target = '', anchor] of (await pageOf(name)).matchAll(/ href="([a-z0-9-]+)\.html(?:#([^"]*))?"/g)) {
        const html = await pageOf(target);
        if (anchor !== undefined) assert.ok(html.includes(` id="${anchor}"`), `${name}: ${target}#${anchor}`);
      }
  });

  test('no other file is served, and nothing but reading is allowed', async () => {
    for (const target of [
      '/guides/../package.html',
      '/guides/%2e%2e%2fpackage.html',
      '/guides/nothing.html',
      '/guides/',
      '/guides/concepts.md',
    ])
      assert.equal(ask(target), undefined, target);
    assert.equal((await ask('/guides/concepts.html', 'POST'))?.status, 405);
    assert.match(String((await ask('/guides/concepts.html'))?.headers['content-security-policy']), /default-src 'none'/);
  });

  test('texts are text, also within code', () => {
    assert.equal(
      htmlOf('A `<b>` & *c* **d**', () => undefined),
      '<p>A <code>&lt;b&gt;</code> &amp; <em>c</em> <strong>d</strong></p>',
    );
    assert.equal(
      htmlOf('- one\n  more\n- [two](a.md)', (target) => `${target}!`),
      '<ul><li>one more</li><li><a href="a.md!">two</a></li></ul>',
    );
    assert.equal(titleIn('text\n# Title\n# Other'), 'Title');
  });
});
