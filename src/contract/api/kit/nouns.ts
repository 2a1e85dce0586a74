import type { ResourceDeclaration } from './resource-declaration.ts';

type Named = Pick<ResourceDeclaration<string, never>, 'names' | 'nouns'>;

/** The singular and plural of a kind in sentences: `identity type`, `identity types`. */
export const nounsOf = ({ names: [singular, plural], nouns = [wordsOf(singular), wordsOf(plural)] }: Named): readonly [string, string] =>
  nouns;

/** `an identity`, `a service`. */
export const nounWithArticle = (named: Named): string => {
  const [noun] = nounsOf(named);
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
};

const wordsOf = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
