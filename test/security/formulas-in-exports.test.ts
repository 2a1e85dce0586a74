/** A spreadsheet evaluates no cell of an export of the console, wherever it divides the file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOfFile } from '../../console/app/export.ts';

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/;
const HOSTILE = ['=1+1', ' =1+1', '"=1+1', '＝1+1', 'a;=1+1', 'a; =1+1', 'a;"=1+1', 'a;b;-1+1', 'a\t@SUM(1)', 'a\n=1+1', 'a\r\n+1'];

test('no cell of an export is a formula where a spreadsheet divides lines at semicolons or tabs', () => {
  for (const name of HOSTILE)
    for (const fields of [{ name }, { tags: { note: name } }, { roleAttributes: ['web', name] }, { owner: { id: 'a', name } }]) {
      const csv = textOfFile('csv', [{ id: 'a', ...fields }]);
      for (const cell of csv.split(/[;\t\r\n]/)) assert.doesNotMatch(cell, FORMULA, JSON.stringify(csv));
    }
});

test('no cell of an export is a formula where a spreadsheet reads commas and quotes', () => {
  for (const name of HOSTILE) {
    const [, row = ''] = textOfFile('csv', [{ name }]).split(/\r\n(.*)/s);
    assert.doesNotMatch(
      row
        .trimEnd()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
      FORMULA,
    );
  }
});

test('numbers and harmless texts are exported as they are', () => {
  assert.equal(textOfFile('csv', [{ name: 'a-b; c=d', cost: -1 }]), 'name,cost\r\na-b; c=d,-1\r\n');
});
