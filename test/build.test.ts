import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf } from '../scripts/build/code.ts';
import { named } from '../scripts/build/named.ts';
import { temporaryFolder } from './examples/child.ts';

const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

test('code has the lines of its source, without types and comments, and imports JavaScript', () => {
  const source = lines(
    '/** What it does. */',
    "import { type Kind, other } from './other.ts'; // why",
    "import type { Unused } from './types.ts';",
    '',
    'export const of = <T extends Kind>(value: T, many: number): readonly T[] => {',
    '  const all: T[] = other(value as Kind, many);',
    '  return all satisfies readonly T[];',
    '};',
  );
  const code = lines(
    '',
    "import { other } from './other.js';",
    '',
    '',
    'export const of = (value, many) => {',
    '\tconst all = other(value, many);',
    '\treturn all;',
    '};',
  );
  assert.equal(codeOf(source), code);
});

test('the text of a template stays as it is, and so does a comment that tools read', () => {
  const template = (value: string): readonly string[] => ['`a', '    b  // c', `  $\{${value}} d`, '  `,'];
  const source = lines('/* @__PURE__ */ f(', '  0,', ...template('x as string'), ');');
  assert.equal(codeOf(source), lines('/* @__PURE__ */ f(', '\t0,', ...template('x '), ');'));
});

/** The declarations that remain of some, by file. The entry is `index.d.ts`. */
const remaining = (t: Parameters<typeof temporaryFolder>[0], files: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const all = named(temporaryFolder(t), ['index.d.ts'], new Map(Object.entries(files)));
  return Object.fromEntries([...all].map(([path, text]) => [path, text.trim()]).filter(([, text]) => text !== ''));
};

test('declarations remain that an entry point exports, and all that they name', (t) => {
  const files = {
    'index.d.ts':
      "import type { Named, Unnamed } from './parts/all.ts';\nexport { f } from './parts/f.ts';\nexport interface Exported { named: Named }\n",
    'parts/all.d.ts': "export * from './named.ts';\nexport * from './unnamed.ts';\n",
    'parts/named.d.ts': '/** Says what it is. */\nexport interface Named { own: Own }\ninterface Own {}\nexport interface Beside {}\n',
    'parts/unnamed.d.ts': 'export interface Unnamed {}\n',
    'parts/f.d.ts': "export declare const f: () => import('./result.ts').Result;\nexport declare const g: () => void;\n",
    'parts/result.d.ts': "import * as z from 'zod';\nimport * as kit from './kit.ts';\nexport type Result = z.infer<typeof kit.schema>;\n",
    'parts/kit.d.ts': 'export declare const schema: number;\n',
  };
  assert.deepEqual(remaining(t, files), {
    'index.d.ts':
      "import type { Named } from './parts/all.ts';\nexport { f } from './parts/f.ts';\nexport interface Exported { named: Named }",
    'parts/all.d.ts': "export * from './named.ts';\nexport * from './unnamed.ts';",
    'parts/named.d.ts': '/** Says what it is. */\nexport interface Named { own: Own }\ninterface Own {}',
    'parts/f.d.ts': "export declare const f: () => import('./result.ts').Result;",
    'parts/result.d.ts': files['parts/result.d.ts'].trim(),
    'parts/kit.d.ts': files['parts/kit.d.ts'].trim(),
  });
});
