import { ApiError } from '../../src/index.ts';
import type { Given } from '../arguments.ts';
import { StartFailure, sentenceOf } from '../failure.ts';
import { command } from './command.ts';
import { declared } from './plan.ts';
import { readDocument, readPlan } from './state-file.ts';
import { ABOUT_SOURCE, source, withState } from './state-source.ts';

/** The exit status if the configuration has changed since the plan was made. */
const OUTDATED = 3;

/** Options of the change. */
const how = {
  'max-lost': { value: 'NUMBER', about: 'refuse to take away more than this number of accesses of identities to services' },
  reason: { value: 'TEXT', about: 'the reason for the change, which its records in the audit keep' },
} as const;

const optionsOf = (given: Given<keyof typeof how>) => {
  const [maxLost, reason] = [given.get('max-lost'), given.get('reason')];
  if (maxLost !== undefined && !/^\d{1,9}$/.test(maxLost)) throw new StartFailure(`--max-lost must be a number from 0, got '${maxLost}'`);
  return { ...(maxLost === undefined ? {} : { maxLost: Number(maxLost) }), ...(reason === undefined ? {} : { reason }) };
};

export const applyCommand = command({
  summary: 'carry out a plan, or make a network as a document says, in one transaction',
  options: { plan: { value: 'FILE', about: 'plan that plan --out FILE wrote' }, ...declared, ...how, ...source },
  notes: `Exit status: 0 if the network is as it should be, 3 if its configuration has changed since the plan was made, 1 if the command failed. ${ABOUT_SOURCE}`,
  run: async (given, environment) => {
    const file = given.get('plan');
    if (file !== undefined && (given.has('document') || given.has('prune')))
      throw new StartFailure('give either --plan FILE, or --document FILE with or without --prune');
    const body =
      file === undefined
        ? { document: await readDocument(given.all('document')), ...(given.has('prune') ? { prune: true } : {}) }
        : await readPlan(file).then(({ revision, operations }) => ({ revision, operations }));
    try {
      const { results, revision } = await withState(given, environment, (state) => state.apply({ body }, optionsOf(given)));
      return results.length === 0
        ? `nothing to do at revision ${revision}`
        : `carried out ${results.length} operations: the network has revision ${revision}`;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'PRECONDITION_FAILED') return { text: sentenceOf(error), status: OUTDATED };
      throw error;
    }
  },
});
