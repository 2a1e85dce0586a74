import { ApiError } from '../../src/index.ts';
import type { OptionValues } from '../arguments.ts';
import { StartFailure, sentenceOf } from '../failure.ts';
import { defineCommand } from './command.ts';
import { documentOptions } from './plan.ts';
import { readDocument, readPlan } from './state-file.ts';
import { ABOUT_SOURCE, source, withState } from './state-source.ts';

/** The exit status if the configuration has changed since the plan was made. */
const OUTDATED = 3;

const limits = {
  'max-lost': {
    value: 'NUMBER',
    about: 'refuse the change if it takes access away from more than this many pairs of an identity and a service',
  },
  reason: { value: 'TEXT', about: 'the reason for the change, which the audit records' },
} as const;

const callOptionsOf = (given: OptionValues<keyof typeof limits>) => {
  const [maxLost, reason] = [given.get('max-lost'), given.get('reason')];
  if (maxLost !== undefined && !/^\d{1,9}$/.test(maxLost))
    throw new StartFailure(`--max-lost must be a whole number from 0, got '${maxLost}'`);
  return { ...(maxLost === undefined ? {} : { maxLost: Number(maxLost) }), ...(reason === undefined ? {} : { reason }) };
};

export const applyCommand = defineCommand({
  summary: 'apply a plan or a document to a network, in one transaction',
  options: { plan: { value: 'FILE', about: 'plan written by plan --out FILE' }, ...documentOptions, ...limits, ...source },
  notes: `Exit status: 0 if the network matches the plan or the document, 3 if its configuration has changed since the plan was made, 1 if the command failed. ${ABOUT_SOURCE}`,
  run: async (given, environment) => {
    const file = given.get('plan');
    if (file !== undefined && (given.has('document') || given.has('prune')))
      throw new StartFailure('give either --plan FILE, or --document FILE with or without --prune');
    const body =
      file === undefined
        ? { document: await readDocument(given.all('document')), ...(given.has('prune') ? { prune: true } : {}) }
        : await readPlan(file).then(({ revision, operations }) => ({ revision, operations }));
    try {
      const { results, revision } = await withState(given, environment, (state) => state.apply({ body }, callOptionsOf(given)));
      return results.length === 0
        ? `no difference at revision ${revision}`
        : `applied ${results.length} operations: the network is now at revision ${revision}`;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED') return { text: sentenceOf(error), status: OUTDATED };
      throw error;
    }
  },
});
