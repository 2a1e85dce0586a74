import type { Call } from '../../../call/call.ts';
import type { ProviderPages } from '../../../call/provider.ts';
import { providerOf } from '../provider.ts';

/** Longer lists of languages are not read. */
const MAX_LENGTH = 500;

/** The languages of an `Accept-Language` header (RFC 9110, 12.5.4), the preferred ones first, without those that are refused. */
const acceptedLanguages = (header: string): readonly string[] =>
  (header.length > MAX_LENGTH ? '' : header)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith('q='))?.slice('q='.length);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);

const primary = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';

/** The login pages in the first language of the browser that they have. */
export const pagesFor = (call: Call): ProviderPages => {
  const { pages, translations } = providerOf(call);
  const all = [pages, ...translations.map((each) => ({ ...pages, ...each }))];
  for (const tag of acceptedLanguages(call.browser?.languages ?? '')) {
    const found = all.find(({ language }) => primary(language) === primary(tag));
    if (found) return found;
  }
  return pages;
};
