/** The rules of WCAG 2.2 AA that axe checks. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe objects to. It is evaluated by the debugger, which the policy of the page does not concern. */
export const violationsOf = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(axe);
  const found: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html}: ${failureSummary}`));
};
