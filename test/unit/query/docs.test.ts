import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FilterError, fieldSymbol, readFilter, type Symbols, symbolsOf } from '../../../src/query/index.ts';

const page = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8').replaceAll(/^> ?/gm, '');

/** The lines of the page's blocks of a language: the filter and what the page says of it after `#`. */
const lines = (language: string): readonly { readonly filter: string; readonly remark: string }[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => {
        const [filter = '', remark = ''] = line.split(/\s+# /);
        return { filter, remark };
      }),
  );

const base = {
  id: fieldSymbol('string', 'id'),
  name: fieldSymbol('string', 'name'),
  createdAt: fieldSymbol('date', 'createdAt'),
  tags: { is: 'tags' },
} as const;
const configs = symbolsOf('config', base);
const symbols: Symbols = symbolsOf('any', {
  ...base,
  isAdmin: fieldSymbol('boolean', 'isAdmin'),
  isDefaultAdmin: fieldSymbol('boolean', 'isDefaultAdmin'),
  roleAttributes: { is: 'set', set: 'roleAttributes' },
  configs: { is: 'references', set: 'configs', target: () => configs },
});

test('the filters of docs/filters.md are accepted, and mean what the page says they equal', () => {
  assert.ok(lines('filter').length > 20);
  for (const { filter, remark } of lines('filter')) {
    const bound = readFilter(filter, symbols);
    if (remark.startsWith('= ')) assert.deepEqual(bound, readFilter(remark.slice(2), symbols), filter);
  }
});

test('the filters that docs/filters.md calls refused are refused', () => {
  assert.ok(lines('refused').length > 5);
  for (const { filter } of lines('refused')) assert.throws(() => readFilter(filter, symbols), FilterError, filter);
});
