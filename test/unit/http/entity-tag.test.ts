import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityTag, versionsIn } from '../../../src/http/validators.ts';

test('If-Match names versions by strong entity tags, and * any', () => {
  assert.deepEqual(versionsIn(entityTag(12)), [12]);
  assert.deepEqual(versionsIn(' "1" ,"22" , "333"'), [1, 22, 333]);
  for (const any of [undefined, '*', ' * ']) assert.equal(versionsIn(any), undefined);
});

test('a tag that is weak, or of no version, matches nothing', () => {
  for (const tag of ['W/"12"', '"abc"', '"0"', '"012"', '"1.5"', '""', '"99999999999999999"', ''])
    assert.deepEqual(versionsIn(tag), [], tag);
  assert.deepEqual(versionsIn('W/"1", "2", "x"'), [2]);
});

test('a text that is not a list of entity tags is refused with the header', () => {
  for (const text of ['12', '"12', '"1" "2"', 'w/"1"', '"1", *', ',', '"a b"'])
    assert.throws(
      () => versionsIn(text),
      { code: 'COULD_NOT_VALIDATE', cause: { field: 'If-Match', reason: 'If-Match must be entity tags like "12", or *', value: text } },
      text,
    );
});
