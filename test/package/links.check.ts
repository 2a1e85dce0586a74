/** The documents of the packed package, as those read them who have nothing else of the project. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { install } from './pack.ts';

/** A link of a document: `text` and `target`, and whether it is an image. */
interface Link {
  readonly isImage: boolean;
  readonly text: string;
  readonly target: string;
}

const linksIn = (document: string): readonly Link[] =>
  [...document.matchAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g)].map(
    ([, mark = '', text = '', path, attribute = '']) => ({ isImage: mark === '!', text, target: path ?? attribute }),
  );

/** Screenshots are left out: their alternative text is read instead. */
const isScreenshot = ({ isImage, text, target }: Link): boolean => isImage && target.endsWith('.png') && text.split(' ').length > 4;

test('each relative link of a document leads to a packed file', (t) => {
  const folder = join(install(t), 'node_modules/overlay-controller');
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const links = documents.flatMap((file) => linksIn(readFileSync(join(folder, file), 'utf8')).map((link) => ({ file, ...link })));
  const relative = links.filter(({ target }) => !/^([a-z]+:|#)/.test(target));
  assert.ok(relative.length > 200, `${relative.length} found`);
  const dead = relative.filter(
    (link) => !existsSync(join(folder, dirname(link.file), link.target.replace(/#.*/, ''))) && !isScreenshot(link),
  );
  assert.deepEqual(
    dead.map(({ file, target }) => `${file}: ${target}`),
    [],
  );
});
