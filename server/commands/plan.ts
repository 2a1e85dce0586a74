import { writeWhole } from '../files.ts';
import { command } from './command.ts';
import { planText } from './plan-text.ts';
import { readDocument } from './state-file.ts';
import { ABOUT_SOURCE, source, withState } from './state-source.ts';

/** The options that give a document. */
export const declared = {
  document: {
    value: 'FILE',
    about: 'document in YAML or JSON, or a part of it; may be given several times; - is standard input',
    list: 'repeated',
  },
  prune: { about: 'delete the entities that carry the owner label of the document and are not in it' },
} as const;

/** The exit status of `plan` if there is a difference. */
const DIFFERENT = 2;

export const planCommand = command({
  summary: 'show what would make a network as a document says; change nothing',
  options: { ...declared, out: { value: 'FILE', about: 'write the plan to this file, for apply --plan FILE' }, ...source },
  notes: `Exit status: 0 without a difference, 2 with one, 1 if the command failed. ${ABOUT_SOURCE}`,
  run: async (given, environment) => {
    const document = await readDocument(given.all('document'));
    const body = { document, ...(given.has('prune') ? { prune: true } : {}) };
    const plan = await withState(given, environment, (state) => state.plan({ body }));
    const out = given.get('out');
    if (out !== undefined) await writeWhole(out, `${JSON.stringify(plan, undefined, 2)}\n`, 0o600);
    return { text: planText(plan), status: plan.operations.length === 0 ? 0 : DIFFERENT };
  },
});
