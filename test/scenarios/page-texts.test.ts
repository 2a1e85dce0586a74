/**
 * What a page shows of an entity is the same as the entity alone, and over HTTP the same as in process, whatever stands beside it on the
 * page.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { onEveryStore } from '../support/app.ts';
import { acceptedJson, acceptedKey } from '../support/texts.ts';

/** Half of a surrogate pair and U+0000 are refused. */
const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('', '"\\\n\u0001', '\u2028', '😀é', '__proto__'));
const tags = fc.dictionary(acceptedKey({ unit: 'grapheme', minLength: 1, maxLength: 8 }), fc.oneof(text, fc.boolean(), fc.constant(null)), {
  maxKeys: 3,
});
const appData = fc.dictionary(acceptedKey({ minLength: 1, maxLength: 8 }), fc.oneof(text, acceptedJson({ maxDepth: 3 })), { maxKeys: 3 });
/** `#` and `@` begin selectors, not attributes. */
const attribute = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((name) => !/^[#@]/.test(name));
const attributes = fc.uniqueArray(attribute, { maxLength: 3 });
const identities = fc.array(
  fc.record({
    tags,
    appData,
    roleAttributes: attributes,
    isDisabled: fc.boolean(),
    minutes: fc.constantFrom(0, 60),
    hasEnrollment: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

onEveryStore('pages as text', (open) => {
  test('an identity has the same fields, in the same order and with the same values, on a page, alone, and in process', async () => {
    await fc.assert(
      fc.asyncProperty(identities, async (given) => {
        await using app = await open();
        for (const [i, { isDisabled, minutes, hasEnrollment, ...fields }] of given.entries()) {
          const body = { name: `user ${i}`, type: 'User' as const, isAdmin: false, ...fields };
          const { id } = await app.controller.api.identities.create({
            body: { ...body, ...(hasEnrollment ? { enrollment: { ott: true } } : {}) },
          });
          if (isDisabled) await app.controller.api.identities.disable({ id, body: { durationMinutes: minutes } });
        }
        const page = await app.request('GET', '/identities?limit=100');
        const { data } = await app.controller.api.identities.list({ limit: 100 });
        assert.ok(page.text.startsWith(`{"data":${JSON.stringify(data)},`));
        for (const shown of data) {
          const alone = await app.controller.api.identities.get({ id: shown.id });
          assert.equal(JSON.stringify(shown), JSON.stringify(alone));
          assert.equal('disabledAt' in shown, shown.disabled);
        }
        const disabled = given.flatMap(({ isDisabled, minutes }, i) => (isDisabled ? [[`user ${i}`, minutes > 0]] : []));
        const found = data.filter((each) => each.disabled).map((each) => [each.name, each.disabledUntil !== undefined]);
        assert.deepEqual(found.toSorted(), disabled.toSorted());
        for (const [i, { tags, appData, roleAttributes }] of given.entries()) {
          const shown = data.find(({ name }) => name === `user ${i}`);
          const expected = { tags, appData, roleAttributes: roleAttributes.length === 0 ? null : roleAttributes.toSorted() };
          const { tags: shownTags, appData: shownData, roleAttributes: shownAttributes } = shown ?? {};
          assert.deepEqual(
            JSON.parse(JSON.stringify({ tags: shownTags, appData: shownData, roleAttributes: shownAttributes?.toSorted() ?? null })),
            JSON.parse(JSON.stringify(expected)),
          );
        }
      }),
      { numRuns: 15 },
    );
  });
});
