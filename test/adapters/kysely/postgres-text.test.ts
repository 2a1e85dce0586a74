import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgres } from '../../../adapters/storage/kysely/postgres/engine.ts';
import { createUpper, upperName } from '../../../adapters/storage/kysely/postgres/upper.ts';
import { inlineLiterals } from '../../../adapters/storage/kysely/render.ts';
import { raw } from '../../../adapters/storage/kysely/sql.ts';
import { compareText } from '../../../src/query/order.ts';
import { needsPostgres, newSchema } from '../../support/postgres.ts';
import { withClient } from './postgres-support.ts';

/** Every code point that a text can have, but U+0000. */
const points = Array.from({ length: 0x10ffff }, (_, index) => index + 1).filter((point) => point < 0xd800 || point > 0xdfff);

describe('text in PostgreSQL', needsPostgres, () => {
  test('upper case is that of JavaScript, for every code point and within texts', async () => {
    await using place = await newSchema();
    const letters = points.map((point) => String.fromCodePoint(point));
    const changing = letters.filter((letter) => letter.toUpperCase() !== letter);
    const runs = Array.from({ length: Math.ceil(letters.length / 128) }, (_, run) => letters.slice(128 * run, 128 * (run + 1)).join(''));
    const texts = [
      ...runs,
      ...changing,
      ...changing.map((letter, index) => `a${letter}ß${changing[(index * 7) % changing.length]}\u0301i`),
    ];
    await withClient(place.connectionString, async (client) => {
      await client.query(inlineLiterals(postgres, createUpper(upperName())));
      const folded = inlineLiterals(postgres, postgres.upperCase(raw('e.value')));
      const { rows } = await client.query(
        `select ${folded} as upper from jsonb_array_elements_text($1::jsonb) with ordinality as e(value, at) order by at`,
        [JSON.stringify(texts)],
      );
      const wrong = texts.filter((text, index) => rows[index]?.upper !== text.toUpperCase());
      assert.deepEqual(wrong.slice(0, 10), []);
      assert.equal(rows.length, texts.length);
    });
  });

  test('order is by code point', async () => {
    await using place = await newSchema();
    const texts = points
      .filter((point) => point % 97 === 0 || (point > 0xd700 && point < 0x10100))
      .map((point) => String.fromCodePoint(point));
    await withClient(place.connectionString, async (client) => {
      const { rows } = await client.query(`select value from jsonb_array_elements_text($1::jsonb) as e(value) order by value collate "C"`, [
        JSON.stringify(texts.toReversed()),
      ]);
      assert.deepEqual(
        rows.map(({ value }) => value),
        texts.toSorted(compareText),
      );
    });
  });
});
