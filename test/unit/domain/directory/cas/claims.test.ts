import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ExternalIdClaim } from '../../../../../src/contract/api/cas.ts';
import { ApiError } from '../../../../../src/contract/errors/index.ts';
import { checkClaim, externalIdOf, type Named } from '../../../../../src/identity/cas/claims.ts';
import { proves } from '../../../../specification.ts';

const claim = (
  location: ExternalIdClaim['location'],
  matcher: ExternalIdClaim['matcher'],
  matcherCriteria = '',
  parser: ExternalIdClaim['parser'] = 'NONE',
  parserCriteria = '',
  index = 0,
): ExternalIdClaim => ({ location, matcher, matcherCriteria, parser, parserCriteria, index });

const ann: Named = {
  commonName: 'dev-ann.sales.eu',
  uris: ['https://h/ann', 'spiffe://h/ann', 'SPIFFE://h/bob', 'urn:x'],
  emails: ['ann@example.org', 'boss@example.com'],
};

describe('the external id in a certificate', () => {
  const table: readonly (readonly [string, ExternalIdClaim, string | undefined])[] = [
    ['the whole common name', claim('COMMON_NAME', 'ALL'), 'dev-ann.sales.eu'],
    ['a common name without its prefix', claim('COMMON_NAME', 'PREFIX', 'dev-'), 'ann.sales.eu'],
    ['a common name with another prefix', claim('COMMON_NAME', 'PREFIX', 'DEV-'), undefined],
    ['a common name without its suffix', claim('COMMON_NAME', 'SUFFIX', '.eu'), 'dev-ann.sales'],
    ['a common name with another suffix', claim('COMMON_NAME', 'SUFFIX', '.us'), undefined],
    ['a common name that is nothing but the prefix', claim('COMMON_NAME', 'PREFIX', 'dev-ann.sales.eu'), undefined],
    ['a part of the common name', claim('COMMON_NAME', 'ALL', '', 'SPLIT', '.', 1), 'sales'],
    ['a part of what follows the prefix', claim('COMMON_NAME', 'PREFIX', 'dev-', 'SPLIT', '.', 0), 'ann'],
    ['a part that is not there', claim('COMMON_NAME', 'ALL', '', 'SPLIT', '.', 3), undefined],
    ['a second value of the one common name', claim('COMMON_NAME', 'ALL', '', 'NONE', '', 1), undefined],
    ['an address by its scheme', claim('SAN_URI', 'SCHEME', 'spiffe'), 'spiffe://h/ann'],
    ['the second of a scheme, in whatever case', claim('SAN_URI', 'SCHEME', 'Spiffe', 'NONE', '', 1), 'SPIFFE://h/bob'],
    ['an address by no scheme of its own', claim('SAN_URI', 'SCHEME', 'http'), undefined],
    ['an address by its place', claim('SAN_URI', 'ALL', '', 'NONE', '', 3), 'urn:x'],
    ['the last part of an address', claim('SAN_URI', 'SCHEME', 'spiffe', 'SPLIT', '/', 3), 'ann'],
    ['an e-mail address', claim('SAN_EMAIL', 'ALL'), 'ann@example.org'],
    ['an e-mail address of a domain', claim('SAN_EMAIL', 'SUFFIX', '@example.com'), 'boss'],
    ['parts of all e-mail addresses, in their order', claim('SAN_EMAIL', 'ALL', '', 'SPLIT', '@', 2), 'boss'],
  ];
  for (const [what, given, expected] of table) test(`${what} is ${expected}`, () => assert.equal(externalIdOf(ann, given), expected));

  test('where a certificate says nothing, nothing comes out', () => {
    const nobody: Named = { commonName: undefined, uris: [], emails: [] };
    for (const location of ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const)
      assert.equal(externalIdOf(nobody, claim(location, 'ALL')), undefined);
  });

  test('a blank text is not an external id', () => {
    assert.equal(externalIdOf({ ...ann, commonName: ' \t' }, claim('COMMON_NAME', 'ALL')), undefined);
    assert.equal(externalIdOf({ ...ann, commonName: 'a..b' }, claim('COMMON_NAME', 'ALL', '', 'SPLIT', '.', 1)), undefined);
  });

  test('every combination gives the value that a plain reading of the rules gives', proves(82), () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '-', ':', '/', '@'), maxLength: 8 });
    const certificate = fc.record({
      commonName: fc.option(word, { nil: undefined }),
      uris: fc.array(word, { maxLength: 4 }),
      emails: fc.array(word, { maxLength: 4 }),
    });
    const claims = fc.record({
      location: fc.constantFrom('COMMON_NAME' as const, 'SAN_URI' as const, 'SAN_EMAIL' as const),
      matcher: fc.constantFrom('ALL' as const, 'PREFIX' as const, 'SUFFIX' as const, 'SCHEME' as const),
      matcherCriteria: fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 2 }),
      parser: fc.constantFrom('NONE' as const, 'SPLIT' as const),
      parserCriteria: fc.constantFrom('.', '-', 'a'),
      index: fc.nat(5),
    });
    fc.assert(
      fc.property(certificate, claims, (given, of) => {
        assert.equal(externalIdOf(given, of), plainly(given, of));
      }),
      { numRuns: 2000 },
    );
  });
});

/** The rules word by word, without any table. */
const plainly = ({ commonName, uris, emails }: Named, of: ExternalIdClaim): string | undefined => {
  const values = of.location === 'SAN_URI' ? uris : of.location === 'SAN_EMAIL' ? emails : commonName === undefined ? [] : [commonName];
  const parts: string[] = [];
  for (let value of values) {
    const at = value.indexOf(of.matcherCriteria);
    if (of.matcher === 'SCHEME') {
      // A scheme begins with a letter.
      if (of.matcherCriteria[0] === '-' || value.slice(0, value.indexOf(':') + 1) !== `${of.matcherCriteria}:`) continue;
    } else if (of.matcher === 'PREFIX') {
      if (at !== 0) continue;
      value = value.slice(of.matcherCriteria.length);
    } else if (of.matcher === 'SUFFIX') {
      const last = value.lastIndexOf(of.matcherCriteria);
      if (last < 0 || last + of.matcherCriteria.length !== value.length) continue;
      value = value.slice(0, last);
    }
    if (of.parser === 'SPLIT') parts.push(...value.split(of.parserCriteria));
    else parts.push(value);
  }
  return parts[of.index] || undefined;
};

describe('a claim', () => {
  const refusals: readonly (readonly [string, ExternalIdClaim, string, string])[] = [
    ['with a negative index', claim('COMMON_NAME', 'ALL', '', 'NONE', '', -1), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with a prefix of addresses', claim('SAN_URI', 'PREFIX', 'a'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with a suffix of addresses', claim('SAN_URI', 'SUFFIX', 'a'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with an empty prefix', claim('COMMON_NAME', 'PREFIX'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with an empty suffix', claim('SAN_EMAIL', 'SUFFIX'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with an empty scheme', claim('SAN_URI', 'SCHEME'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['that splits by nothing', claim('COMMON_NAME', 'ALL', '', 'SPLIT'), 'COULD_NOT_VALIDATE', 'externalIdClaim'],
    ['with a scheme of a common name', claim('COMMON_NAME', 'SCHEME', 'spiffe'), 'REFERENCED_ENTITY_NOT_FOUND', 'externalIdClaim.matcher'],
    [
      'with a scheme of an e-mail address',
      claim('SAN_EMAIL', 'SCHEME', 'mailto'),
      'REFERENCED_ENTITY_NOT_FOUND',
      'externalIdClaim.matcher',
    ],
    // As a patch may leave it.
    ['without a parser', { ...claim('COMMON_NAME', 'ALL'), parser: undefined } as never, 'COULD_NOT_VALIDATE', 'externalIdClaim.parser'],
  ];
  for (const [what, given, code, field] of refusals) {
    test(`${what} is refused with the place of the fault`, () =>
      assert.throws(
        () => checkClaim(given),
        (error) =>
          error instanceof ApiError &&
          error.code === code &&
          error.cause !== undefined &&
          'field' in error.cause &&
          error.cause.field === field,
      ));
  }

  test('of every other combination is taken', () => {
    for (const location of ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const)
      for (const matcher of ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const)
        for (const parser of ['NONE', 'SPLIT'] as const) {
          if ((matcher === 'SCHEME') !== (location === 'SAN_URI') && matcher !== 'ALL' && (matcher === 'SCHEME' || location === 'SAN_URI'))
            continue;
          assert.doesNotThrow(() => checkClaim(claim(location, matcher, 'x', parser, '.', 3)), `${location} ${matcher} ${parser}`);
        }
  });
});
