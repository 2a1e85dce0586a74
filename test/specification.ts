import type sections from './specification.json';

type NumbersOf<Section> = Section extends { readonly statements: infer Statements } ? keyof Statements : never;
type Parsed<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The number of a statement of the specification, as `specification.json` and `docs/reference/specification.md` have it: 1 to 478. */
export type Statement = Parsed<NumbersOf<(typeof sections)[number]>>;

const TAG = /^statement-(\d+)$/;

/**
 * What a test proves of the specification, as options of the test:
 *
 *     test('every request extends the session, without an end', proves(38), async () => { … });
 *
 * A test may be renamed and moved: what it proves goes with it. `docs/reference/specification.md` lists the statements with their proofs.
 * `npx node --test --experimental-test-tag-filter=statement-38 FILE` runs the tests of a statement.
 */
export const proves = (...statements: readonly Statement[]): { readonly tags: readonly string[] } => ({
  tags: statements.map((statement) => `statement-${statement}`),
});

/** The statements that these tags of a test name. */
export const statementsIn = (tags: readonly string[]): readonly number[] =>
  tags.flatMap((tag) => {
    const number = TAG.exec(tag)?.[1];
    return number === undefined ? [] : [Number(number)];
  });

/** The statements that the tests of a source file say they prove. */
export const statementsClaimedIn = (source: string): readonly number[] =>
  [...source.matchAll(/\bproves\(([\d,\s]+)\)/g)].flatMap(([, numbers = '']) =>
    numbers
      .split(',')
      .filter((number) => number.trim() !== '')
      .map(Number),
  );
